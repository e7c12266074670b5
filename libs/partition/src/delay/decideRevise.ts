import { type CommandOf, inTime, KirokuError, limits } from '@kiroku/protocol'
import type { Turn } from '../Turn.ts'
import { earlierSend } from '../repeats/earlierSend.ts'

/** Cancels or moves a message that is not due yet; a repeat of what was done is answered as before. */
export const decideRevise = <B>(
  turn: Turn<B>,
  command: CommandOf<'Recall' | 'Reschedule'>,
  token: number,
): void => {
  const { queue, number, producer, send, by } = command
  const before = earlierSend(turn, command, token)
  if (before === 'refused') return
  if (before !== undefined) return turn.ok(token, { queue: before.queue, number: before.first })
  const dueAt = command.type === 'Recall' ? undefined : dueTime(turn.now, command)
  if (dueAt instanceof KirokuError) return turn.refuse(token, dueAt)
  const refusal = refuseRevision(turn, command, dueAt)
  if (refusal !== undefined) return turn.refuse(token, refusal)
  turn.emit(
    dueAt === undefined
      ? { type: 'Recalled', queue, number, producer, send, by }
      : { type: 'Rescheduled', queue, number, dueAt, producer, send, by },
  )
  turn.ok(token, { queue, number })
}

/** When the message is due by the command, never before now. */
const dueTime = (now: number, { delayMs, dueAt }: CommandOf<'Reschedule'>): number | KirokuError => {
  if ((delayMs === undefined) === (dueAt === undefined))
    return new KirokuError('InvalidArgument', 'a message is moved by either a delay or a time')
  const given = delayMs ?? dueAt
  const at = !Number.isInteger(given) ? -1 : delayMs === undefined ? Math.max(dueAt!, now) : now + delayMs
  return Number.isSafeInteger(at) && at >= now && at - now <= limits.delayMsMax
    ? at
    : new KirokuError(
        'InvalidArgument',
        `a message can be due from now to ${inTime(limits.delayMsMax)} ahead, not ${delayMs === undefined ? `at ${given}` : `in ${inTime(given)}`}`,
      )
}

const refuseRevision = <B>(
  { state, now }: Turn<B>,
  { queue, number }: CommandOf<'Recall' | 'Reschedule'>,
  dueAt: number | undefined,
): KirokuError | undefined => {
  const q = state.queues.get(queue)
  if (q === undefined || !(Number.isInteger(number) && number >= 1 && number < q.nextNumber))
    return new KirokuError('UnknownMessage', `there is no message ${number} in queue ${queue}`)
  const delayed = state.findDelayed(q, number)
  if (delayed === undefined)
    return new KirokuError('NotDelayed', `message ${number} of queue "${q.name}" is not delayed any more`)
  const keptUntil = state.runs.enqueuedAt(delayed.run) + q.config.retentionMs
  return dueAt === undefined || dueAt === now || dueAt < keptUntil
    ? undefined
    : new KirokuError(
        'InvalidArgument',
        `the message is kept until ${keptUntil}, so that it cannot be due at ${dueAt}`,
      )
}
