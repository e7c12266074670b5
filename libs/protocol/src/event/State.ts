/** Codes of the states of one message; the order is part of the log's format and never changes. */
export const State = {
  Held: 0,
  Delayed: 1,
  Available: 2,
  Inflight: 3,
  WaitingRetry: 4,
  Committed: 5,
  DLQ: 6,
  Discarded: 7,
} as const

/** Code of a state. */
export type State = (typeof State)[keyof typeof State]

/** Names of the states by code; the children of Ready carry their parent's name in pictures only. */
export const stateNames = [
  'Held',
  'Delayed',
  'Available',
  'Inflight',
  'WaitingRetry',
  'Committed',
  'DLQ',
  'Discarded',
] as const

/** Name of a state. */
export type StateName = (typeof stateNames)[number]

/** Whether a state is final. */
export const isFinal = (state: State): boolean => state >= State.Committed
