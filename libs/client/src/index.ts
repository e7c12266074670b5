/**
 * The native client. Owns producers, receives, consumers and lease heartbeats over a transport port. Never
 * knows NATS; talks to `@kiroku/partition` for commands and to `@kiroku/message` for errors.
 */
export type { LogDirectory, RequestOptions, Transport } from './Transport.ts'
