import { type MessageCell } from '@kiroku/message'
import { State } from '@kiroku/protocol'
import type { LiveSlab } from './LiveSlab.ts'

/** Copies a live message into the cell that the law's step works on. */
export const loadCell = (live: LiveSlab, slot: number, cell: MessageCell): MessageCell => {
  const state = live.state[slot] as State
  const deadline = live.deadline[slot]!
  cell.state = state
  cell.attempt = live.attempt[slot]!
  cell.delivery = live.delivery[slot]!
  cell.attemptsMax = live.attemptsMax[slot]!
  cell.leaseUntil = state === State.Inflight ? deadline : 0
  cell.leaseCap = live.leaseCap[slot]!
  cell.dueAt = state === State.WaitingRetry ? deadline : 0
  cell.reason = ''
  return cell
}
