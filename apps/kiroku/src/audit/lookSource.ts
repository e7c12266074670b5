import { diffMoments, stateAt, type LookOptions, type StateName } from '@kiroku/audit'
import type { LookSource } from '@kiroku/api'
import type { Log } from '@kiroku/log'
import { KirokuError, stateNames } from '@kiroku/message'
import { parseMoment } from './parseMoment.ts'

const limitMax = 1_000

/** Shows queues of a log as they were; `options` are made anew for each question. */
export const lookSource = (log: Log, options: () => LookOptions): LookSource => ({
  stateAt: (queue, { at, states, subscription, limit, after }) => {
    const look = options()
    return stateAt(log, queue, at === undefined ? { time: look.now } : parseMoment(at, 'at', look.now), {
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
