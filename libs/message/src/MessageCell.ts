import { type DiscardReason, State } from '@kiroku/protocol'

/** What the machine remembers of one message: its state and its context. Times are ms of partition time. */
export interface MessageCell {
  state: State
  /** Deliveries so far; 1 after the first. */
  attempt: number
  /** The delivery that holds or last held the lease; 0 before the first. */
  delivery: number
  /** Attempts allowed, by the limit in force at the last delivery (max retries + 1). */
  attemptsMax: number
  /** End of the lease while Inflight. */
  leaseUntil: number
  /** No extension moves the lease beyond this; 0 is no cap. */
  leaseCap: number
  /** When a delay or a retry pause ends. */
  dueAt: number
  reason: DiscardReason | ''
}

/** A message as it is before anything happened to it. */
export const newCell = (state: State = State.Available, dueAt = 0): MessageCell => ({
  state,
  attempt: 0,
  delivery: 0,
  attemptsMax: 0,
  leaseUntil: 0,
  leaseCap: 0,
  dueAt,
  reason: '',
})

/** Makes a cell what `newCell` gives. */
export const resetCell = (cell: MessageCell): MessageCell => {
  cell.state = State.Available
  cell.attempt = 0
  cell.delivery = 0
  cell.attemptsMax = 0
  cell.leaseUntil = 0
  cell.leaseCap = 0
  cell.dueAt = 0
  cell.reason = ''
  return cell
}
