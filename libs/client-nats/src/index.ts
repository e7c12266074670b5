/**
 * The client over NATS. Owns the transport and the reading of a log's directory. Knows nothing of commands or
 * queues' rules; talks to `@kiroku/client` and `@kiroku/nats`.
 */
export { connect, type ConnectOptions } from './connect.ts'
export { natsTransport, type NatsTransportOptions } from './natsTransport.ts'
