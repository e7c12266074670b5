import type { QueueAddress } from '@kiroku/protocol'

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
  /** Size of its body; absent: an older checkpoint did not say. No part of the hash therefore. */
  readonly bytes?: number
  /** Redrive that moves it; no part of the hash, since older checkpoints do not know it. */
  readonly task?: number
  /**
   * When it was first delivered, in ms; absent: never, or that is not known. No part of the hash; checkpoints keep it beside the
   * letters, since older versions hash all that they find with one.
   */
  readonly firstAt?: number
}

/** What one queue still has to forward to another, in order. */
export interface OutboxLane {
  readonly source: number
  readonly target: QueueAddress
  /**
   * Name of the target, by which it is found again when it was deleted and made again; absent: an older checkpoint did
   * not say. A queue never changes its name, so this is no part of the hash.
   */
  name?: string
  /** Number of the next forward. */
  next: number
  entries: OutboxEntry[]
}

/** Lanes of one queue to one partition that were closed; that is to be told of it. */
export interface ClosedLanes {
  readonly partition: number
  readonly source: number
  readonly targets: readonly number[]
  /** The first forward of a new lane from then on. */
  readonly first: number
  /** The frame that decided it; nothing leaves before that is stored. */
  readonly decidedSeq: number
}

/** Key of a lane. */
export const laneKey = (source: number, target: QueueAddress): string =>
  `${source}>${target.partition}/${target.queue}`

/** Key of a lane where it leads. */
export const seenKey = (from: QueueAddress, target: number): string =>
  laneKey(from.queue, { partition: from.partition, queue: target })

/** The lane from a queue to another, begun where there is none. */
export const laneOf = (
  outbox: Map<string, OutboxLane>,
  source: number,
  target: QueueAddress,
  name: string | undefined,
): OutboxLane => {
  const key = laneKey(source, target)
  let lane = outbox.get(key)
  if (lane === undefined) {
    lane = { source, target, next: 1, entries: [] }
    outbox.set(key, lane)
  }
  if (name !== undefined) lane.name = name
  return lane
}
