/**
 * NATS itself. Owns the connection, the publisher to streams and the meaning of JetStream's errors.
 * Never knows frames or queues' rules; talks to NATS only.
 */
export { connect, type NatsOptions } from './Connection.ts'
export { requireJetStream } from './requireJetStream.ts'
export { Publisher, type PublishAnswer } from './Publisher.ts'
export { jetStreamCode, toKirokuError } from './jetStreamErrors.ts'
