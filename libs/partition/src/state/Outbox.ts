import type { QueueAddress } from '@kiroku/message'

/** A message on its way to another queue. */
export interface OutboxEntry {
  readonly forward: number
  /** The frame that decided it; nothing leaves before that is stored. */
  readonly decidedSeq: number
  /** Its number in the source queue, and where its body lies. */
  readonly number: number
  readonly seq: number
  readonly index: number
  readonly attempts: number
  readonly cause: string
  readonly error: string
  readonly enqueuedAt: number
  /** Subscription that gave it up; absent: `main`. */
  readonly subscription?: string
  /** Only subscription that it is for; absent: all. */
  readonly only?: string
}

/** What one queue still has to forward to another, in order. */
export interface OutboxLane {
  readonly source: number
  readonly target: QueueAddress
  /** Number of the next forward. */
  next: number
  entries: OutboxEntry[]
}

/** Key of a lane. */
export const laneKey = (source: number, target: QueueAddress): string =>
  `${source}>${target.partition}/${target.queue}`

/** The lane from a queue to another, begun where there is none. */
export const laneOf = (outbox: Map<string, OutboxLane>, source: number, target: QueueAddress): OutboxLane => {
  const key = laneKey(source, target)
  let lane = outbox.get(key)
  if (lane === undefined) {
    lane = { source, target, next: 1, entries: [] }
    outbox.set(key, lane)
  }
  return lane
}
