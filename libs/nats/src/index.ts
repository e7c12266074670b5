/**
 * NATS itself. Owns the connection, the publisher to streams, the meaning of JetStream's errors, and the
 * transport of commands and replies between clients and owners. Knows nothing of frames or queues' rules;
 * talks to NATS, to `@kiroku/protocol` for the shape of commands, and to `@kiroku/nats-access` for
 * where clients get their answers.
 */
export { connect, type NatsOptions } from './Connection.ts'
export { onReconnect } from './onReconnect.ts'
export { findOutage } from './findOutage.ts'
export { requireJetStream } from './requireJetStream.ts'
export { Publisher, type PublishAnswer } from './Publisher.ts'
export { isNatsAway, isOvertaken, isStreamMissing, jetStreamCode, toKirokuError } from './jetStreamErrors.ts'
export { answerDirectory, askDirectory } from './directory.ts'
export { answerQuestions, askQuestion } from './questions.ts'
export { serveCommands, type CommandService, type CommandServing } from './serveCommands.ts'
export {
  requestCommands,
  type CommandRequester,
  type LinkNews,
  type RequesterOptions,
} from './requestCommands.ts'
export {
  commandPieces,
  decodeCommands,
  decodeReply,
  encodeCommands,
  encodeError,
  encodeReply,
  replyPieces,
} from './CommandCodec.ts'
export { fromClient } from './fromClient.ts'
export { wireError } from './wireError.ts'
export { withoutUser } from './withoutUser.ts'
