import type { OwnershipEvent } from './ownership.ts'
import type { QueueEvent } from './queue.ts'
import type { SubscriptionEvent } from './subscription.ts'
import type { SpreadEvent } from './spread.ts'
import type { MessageEvent } from './message.ts'
import type { RedriveEvent } from './redrive.ts'
import type { BodyEvent } from './body.ts'
import type { ForwardEvent } from './forward.ts'

/**
 * The facts that the log records. Each holds its outcome, so that `evolve` applies it without a guard.
 * `queue` is a queue id, `sub` the id of a subscription generation (0 is the first `main`), times are ms of
 * partition time. Bodies lie in the frame's body section in the order of the queue's Enqueued events.
 */
export type LogEvent =
  | OwnershipEvent
  | QueueEvent
  | SubscriptionEvent
  | SpreadEvent
  | MessageEvent
  | RedriveEvent
  | BodyEvent
  | ForwardEvent

/** Name of a fact. */
export type LogEventType = LogEvent['type']

/** A fact of one type. */
export type LogEventOf<T extends LogEventType> = Extract<LogEvent, { type: T }>
