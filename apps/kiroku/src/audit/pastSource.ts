import type { LookSource } from '@kiroku/api'
import type { AskedMoment } from '@kiroku/audit'
import { auditorOr, type Answering, type PastMethod, type RunningAuditor } from '@kiroku/auditor'
import { KirokuError, stateNames, type StateName } from '@kiroku/protocol'
import { parseMoment } from './parseMoment.ts'

const limitMax = 1_000
/** Frames and work of a recording. */
const framesMax = 10_000
const workMax = 1_000_000

/** Reads what the HTTP API is asked of the past, and asks the auditor's process, so that the engine's loop goes on; `here` answers where none runs. */
export const pastSource = (
  here: Answering<PastMethod>,
  auditor: RunningAuditor | undefined,
  partitions: number,
): LookSource => {
  const ask = auditorOr(auditor, here)
  return {
    logAt: async ({ at }) => ask.logAt(momentIn('at', at)),
    span: (asked) => ask.span(asked),
    recording: async (queue, { from, partition, frames, work, state }) =>
      ask.recording({
        queue,
        ...momentIn('from', from),
        withState: state === '1',
        ...countIn('partition', partition, partitions - 1),
        ...countIn('framesMax', frames, framesMax),
        ...countIn('workMax', work, workMax),
      }),
    stateAt: async (queue, { at, states, subscription, where, limit, after }) =>
      ask.stateAt({
        queue,
        ...momentIn('at', at),
        messagesMax: parseLimit(limit),
        ...(states === undefined ? {} : { states: parseStates(states, 'states') }),
        ...(subscription === undefined ? {} : { subscription }),
        ...(where === undefined ? {} : { where }),
        ...(after === undefined ? {} : { after }),
      }),
    diff: async (queue, { a, b, limit }) => {
      const now = Date.now()
      return ask.diff({
        queue,
        from: parseMoment(a, 'a', now),
        ...(b === undefined ? {} : { to: parseMoment(b, 'b', now) }),
        messagesMax: parseLimit(limit),
      })
    },
    batches: (queue, asked) => ask.batches({ queue, ...asked }),
  }
}

/** A moment under its name; nothing, which is now, where none was given. Errors: `InvalidArgument`. */
const momentIn = <K extends string>(
  name: K,
  text: string | undefined,
): { readonly [N in K]?: AskedMoment } =>
  text === undefined
    ? {}
    : ({ [name]: parseMoment(text, name, Date.now()) } as { readonly [N in K]?: AskedMoment })

/** A number from 0 to `max` under its name; nothing where none was given. Errors: `InvalidArgument`. */
const countIn = <K extends string>(
  name: K,
  text: string | undefined,
  max: number,
): { readonly [N in K]?: number } => {
  if (text === undefined) return {}
  const count = Number(text)
  if (text.trim() !== '' && Number.isSafeInteger(count) && count >= 0 && count <= max)
    return { [name]: count } as { readonly [N in K]?: number }
  throw new KirokuError('InvalidArgument', `${name}: "${text}" is not a number from 0 to ${max}`)
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
