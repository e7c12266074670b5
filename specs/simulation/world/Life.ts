/** States of the law, by their own names. */
export type LifeState =
  | 'Held'
  | 'Delayed'
  | 'Available'
  | 'Inflight'
  | 'WaitingRetry'
  | 'Committed'
  | 'DLQ'
  | 'Discarded'

/** One message under one subscription, according to the log. */
export interface Life {
  state: LifeState
  attempt: number
  /** Limit that was in force at the last delivery. */
  attemptsMax: number
  delivery: number
  /** Ends of its lease and of its pause, in ms of partition time; 0: none. */
  leaseUntil: number
  dueAt: number
  /** When its pause began, in ms of virtual time, and how long it is; 0: unknown. */
  pausedMs: number
  pauseMs: number
  /** When the last delivery was decided, in ms of virtual time. */
  leasedMs: number
  /** Whether its consumer asked for more, or less, time since. */
  isExtended: boolean
  /** The frame that brought it into this state. */
  sinceSeq: number
}

/** Whether nothing comes after it. */
export const isFinal = (state: LifeState): boolean =>
  state === 'Committed' || state === 'DLQ' || state === 'Discarded'
