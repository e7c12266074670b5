import { KirokuError, type Actor } from '@kiroku/message'
import type { CommandOf } from '../Command.ts'
import { findDelayed } from '../delayed.ts'
import { limits } from '../limits.ts'
import type { DelayedRun } from '../state/DelayedRuns.ts'
import type { Turn } from '../Turn.ts'
import { earlierSend } from './enqueue.ts'

/** Cancels or moves a message that is not due yet; a repeat of what was done is answered as before. */
export const decideRevise = <B>(
  turn: Turn<B>,
  command: CommandOf<'Recall' | 'Reschedule'>,
  token: number,
): void => {
  const { queue, number, producer, send } = command
  const before = earlierSend(turn, command, token)
  if (before === 'refused') return
  if (before !== undefined) return turn.ok(token, { queue: before.queue, number: before.first })
  const found = delayedMessage(turn, queue, number)
  if (found instanceof KirokuError) return turn.refuse(token, found)
  const by: Actor = command.by
  if (command.type === 'Recall') turn.emit({ type: 'Recalled', queue, number, producer, send, by })
  else {
    const dueAt = dueTime(turn, command, found)
    if (dueAt instanceof KirokuError) return turn.refuse(token, dueAt)
    turn.emit({ type: 'Rescheduled', queue, number, dueAt, producer, send, by })
  }
  turn.ok(token, { queue, number })
}

const delayedMessage = <B>({ state }: Turn<B>, queue: number, number: number): DelayedRun | KirokuError => {
  const q = state.queues.get(queue)
  if (q === undefined || !(Number.isInteger(number) && number >= 1 && number < q.nextNumber))
    return new KirokuError('UnknownMessage', `there is no message ${number} in queue ${queue}`)
  return (
    findDelayed(state, q, number) ??
    new KirokuError('NotDelayed', `message ${number} of queue "${q.name}" is not delayed any more`)
  )
}

/** When the message is due by the command, never before now. */
const dueTime = <B>(
  { state, now }: Turn<B>,
  { delayMs, dueAt }: CommandOf<'Reschedule'>,
  { queue, run }: DelayedRun,
): number | KirokuError => {
  if ((delayMs === undefined) === (dueAt === undefined))
    return new KirokuError('InvalidArgument', 'a message is moved by either a delay or a time')
  const at = delayMs === undefined ? Math.max(dueAt!, now) : now + delayMs
  if (!(Number.isSafeInteger(at) && at >= now && at - now <= limits.delayMsMax))
    return new KirokuError(
      'InvalidArgument',
      `a delay must be a whole number from 0 to ${limits.delayMsMax} ms (14 days), not ${delayMs ?? dueAt! - now}`,
    )
  const { retentionMs } = queue.config
  if (at > now && at >= state.runs.enqueuedAt(run) + retentionMs)
    return new KirokuError(
      'InvalidArgument',
      `${at} is after the end of the message's retention of ${retentionMs} ms`,
    )
  return at
}
