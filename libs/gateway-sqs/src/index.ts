/**
 * The door for clients of Amazon SQS. Translates requests of both protocols, AWS JSON 1.0 and Query, into calls of a
 * `@kiroku/client`, and answers with SQS's own errors. Owns no queue and no message; knows neither engine nor NATS.
 */
export { Keys, parseKeys, type Key } from './access/Keys.ts'
export { sqsDoor, type SqsDoorOptions } from './sqsDoor.ts'
