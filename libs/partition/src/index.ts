/**
 * The room. Owns the functional core of a partition: commands, decide, evolve, many queues. Never touches
 * IO, clocks or chance (time and chance are arguments); talks to `@kiroku/message` only.
 */
export type {
  Answer,
  Answers,
  Command,
  CommandOf,
  CommandType,
  Delivery,
  PartitionDescription,
  QueueCounts,
  QueueDescription,
  Refusal,
  Reply,
  SettleItem,
} from './Command.ts'
export {
  defaultQueueConfig,
  type DeadLetterTarget,
  type QueueConfig,
  type RetryPolicyConfig,
} from './QueueConfig.ts'
export { decodeEnvelope, encodeEnvelope, type EnvelopeMeta, type Lineage } from './Envelope.ts'
export {
  checkQueueName,
  messageId,
  parseMessageId,
  parseReceipt,
  partitionOf,
  receipt,
  type MessageAddress,
  type ReceiptAddress,
} from './address.ts'
export { limits } from './limits.ts'
