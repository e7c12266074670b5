import type { LogEvent, Ranges } from '@kiroku/protocol'

/** One frame of a partition's log, as read independently of the engine. */
export interface StoredFrame {
  readonly partition: number
  readonly seq: number
  /** The store's own time in ms since 1970. */
  readonly timeMs: number
  readonly epoch: number
  readonly events: readonly LogEvent[]
  /** The labels in the bodies of each queue, in the order of the queue's events in this frame. */
  readonly labels: ReadonlyMap<number, readonly number[]>
}

/** Where a message is. */
export interface Place {
  readonly partition: number
  readonly queue: number
  readonly number: number
}

/** A send that was acknowledged to the producer: the label of its body and the place that the message id names. */
export interface AcknowledgedSend extends Place {
  readonly label: number
}

/** A delivery that reached a consumer. */
export interface SeenDelivery {
  readonly partition: number
  readonly queue: number
  readonly delivery: number
  readonly numbers: Ranges
}

/** An acknowledgement that the engine confirmed to a consumer. */
export interface ConfirmedAck {
  readonly partition: number
  readonly queue: number
  readonly sub: number
  readonly numbers: Ranges
}

/** The first answer to a send that did not have it soon, so that a kill may have come between. */
export interface SendAnswer {
  readonly producer: string
  readonly send: number
  /** Of the owner that answered. */
  readonly epoch: number
  /** In ms since 1970. */
  readonly answeredAtMs: number
}

/** What the processes around the engine saw. */
export interface History {
  readonly acknowledged: readonly AcknowledgedSend[]
  readonly deliveries: readonly SeenDelivery[]
  readonly acks: readonly ConfirmedAck[]
}
