import {
  diffMoments,
  type AskedMoment,
  logAt,
  spanOf,
  stateAt,
  type LogMoment,
  type LogSpan,
  type LookOptions,
  type MomentDiff,
  type QueueMoment,
  type StateName,
} from '@kiroku/audit'
import type { AskedDiff, AskedLog, AskedSpan, AskedState, LookSource } from '@kiroku/api'
import type { Log } from '@kiroku/log'
import { isKirokuError, KirokuError, stateNames } from '@kiroku/message'
import type { RunningAuditor } from '../auditor/startAuditor.ts'
import { parseMoment } from './parseMoment.ts'

const limitMax = 1_000

/** How queues of a log are shown as they were, by what is asked as it was written. */
export interface Looking {
  readonly logAt: (asked: AskedLog) => Promise<LogMoment>
  readonly span: (asked: AskedSpan) => Promise<LogSpan>
  readonly stateAt: (queue: string, asked: AskedState) => Promise<QueueMoment>
  readonly diff: (queue: string, asked: AskedDiff) => Promise<MomentDiff>
}

/** Looks from this process; `options` are made anew for each question. */
export const lookHere = (log: Log, options: () => LookOptions): Looking => ({
  logAt: ({ at }) => {
    const look = options()
    return logAt(log, momentOrNow(at, look.now), look)
  },
  span: ({ queue }) => spanOf(log, queue, options()),
  stateAt: (queue, { at, states, subscription, limit, after }) => {
    const look = options()
    return stateAt(log, queue, momentOrNow(at, look.now), {
      ...look,
      messagesMax: parseLimit(limit),
      ...(states === undefined ? {} : { states: parseStates(states, 'states') }),
      ...(subscription === undefined ? {} : { subscription }),
      ...(after === undefined ? {} : { after }),
    })
  },
  diff: (queue, { a, b, limit }) => {
    const look = options()
    const from = parseMoment(a, 'a', look.now)
    const to = b === undefined ? { time: look.now } : parseMoment(b, 'b', look.now)
    return diffMoments(log, queue, from, to, { ...look, messagesMax: parseLimit(limit) })
  },
})

const momentOrNow = (at: string | undefined, now: number): AskedMoment =>
  at === undefined ? { time: now } : parseMoment(at, 'at', now)

/** Looks from the auditor's process where there is one, so that the engine's loop goes on. */
export const lookSource = (here: Looking, auditor: RunningAuditor | undefined): LookSource => {
  const ask = async <A>(
    there: (auditor: RunningAuditor) => Promise<A>,
    own: () => Promise<A>,
  ): Promise<A> => {
    if (auditor === undefined) return own()
    try {
      return await there(auditor)
    } catch (error) {
      if (isKirokuError(error) && error.id === 'NoAuditor') return own()
      throw error
    }
  }
  return {
    logAt: (asked) =>
      ask(
        (there) => there.ask('logAt', asked),
        () => here.logAt(asked),
      ),
    span: (asked) =>
      ask(
        (there) => there.ask('span', asked),
        () => here.span(asked),
      ),
    stateAt: (queue, asked) =>
      ask(
        (there) => there.ask('stateAt', { queue, asked }),
        () => here.stateAt(queue, asked),
      ),
    diff: (queue, asked) =>
      ask(
        (there) => there.ask('diff', { queue, asked }),
        () => here.diff(queue, asked),
      ),
  }
}

/** Reads names of states with commas between. `what` names the argument. Errors: `InvalidArgument`. */
export const parseStates = (text: string, what: string): StateName[] =>
  text.split(',').map((name) => {
    const found = stateNames.find((state) => state.toLowerCase() === name.trim().toLowerCase())
    if (found !== undefined) return found
    throw new KirokuError('InvalidArgument', `${what}: "${name}" is not one of ${stateNames.join(', ')}`)
  })

const parseLimit = (text: string | undefined): number => {
  const limit = text === undefined ? 100 : Number(text)
  if (Number.isSafeInteger(limit) && limit >= 0 && limit <= limitMax) return limit
  throw new KirokuError('InvalidArgument', `limit: "${text}" is not a number from 0 to ${limitMax}`)
}
