/**
 * The native client. Owns producers, receives, consumers and the renewal of leases over a transport port.
 * Knows nothing of NATS; talks to `@kiroku/partition` for commands and to `@kiroku/message` for errors.
 */
export type { LogDirectory, RequestOptions, Transport } from './Transport.ts'
export type { AbortListener, AbortSignalLike } from './AbortSignalLike.ts'
export { realClock, type Clock, type TimerHandle } from './Clock.ts'
export type { Client, ClockStep, ConfirmClockOptions, ReceiveOptions, SettleResult } from './Client.ts'
export type { Subscriptions } from './Subscriptions.ts'
export type {
  BodyEdit,
  DiscardedMessages,
  EraseOptions,
  GroupsOptions,
  QueueSurvey,
  Queues,
  RedriveOptions,
} from './Queues.ts'
export type { ApplyOptions, QueueSection, QueueSettings, SubscriptionSettings } from './QueueSettings.ts'
export type { BatchOptions, OutgoingMessage, RescheduleOptions, SendOptions } from './SendOptions.ts'
export type { Body, Json } from './Body.ts'
export type { StartPosition } from '@kiroku/protocol'
export type { ClientOptions } from './ClientOptions.ts'
export type { ClientEvent } from './ClientEvent.ts'
export type { BatchHandler, ConsumeOptions, Consumer, MessageHandler } from './Consumer.ts'
export type { LeaseOptions } from './LeaseTimes.ts'
export { defineQueue, type QueueDefinition } from './schema/defineQueue.ts'
export type { InputOf, OutputOf, SchemaIssue, SchemaResult, StandardSchema } from './schema/StandardSchema.ts'
export type { Sendable } from './Sendable.ts'
export type { MessageView } from './MessageView.ts'
export type { QueueChange, SettingChange, SubscriptionChange } from './QueueChange.ts'
export { BackPressure, type BackPressureOptions } from './BackPressure.ts'
export { retryAfterMs } from './retryAfterMs.ts'
export type { ReceivedMessage } from './ReceivedMessage.ts'
export type { ReleaseOptions, RetryOptions } from './Settlement.ts'
export type { Requester, RequesterOptions, RequestReplyOptions } from './Requester.ts'
export type { Batch, ConsumedMessage } from './Batch.ts'
export { judgeLosses } from './judgeLosses.ts'
export { createClient } from './createClient.ts'
export { inProcess, type InProcessNode } from './inProcess.ts'
export { ownerFirst, type LocalOwners } from './ownerFirst.ts'
