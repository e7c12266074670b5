import type {
  AskedBatches,
  AskedDiff,
  AskedLog,
  AskedRecording,
  AskedSpan,
  AskedState,
  LookSource,
} from '@kiroku/api'
import {
  batchCosts,
  diffMoments,
  encodeRecording,
  recordingOf,
  type AskedMoment,
  logAt,
  spanOf,
  stateAt,
  type BatchCosts,
  type LogMoment,
  type LogSpan,
  type LookOptions,
  type MomentDiff,
  type QueueMoment,
} from '@kiroku/audit'
import type { Log } from '@kiroku/log'
import { KirokuError, stateNames, type StateName } from '@kiroku/protocol'
import { askOrHere } from '../auditor/askOrHere.ts'
import type { RunningAuditor } from '../auditor/startAuditor.ts'
import { parseMoment } from './parseMoment.ts'

const limitMax = 1_000
/** Frames and work of a recording. */
const framesMax = 10_000
const workMax = 1_000_000

/** How queues of a log are shown as they were, by what is asked as it was written. */
export interface Looking {
  readonly recording: (queue: string, asked: AskedRecording) => Promise<Uint8Array>
  readonly logAt: (asked: AskedLog) => Promise<LogMoment>
  readonly span: (asked: AskedSpan) => Promise<LogSpan>
  readonly stateAt: (queue: string, asked: AskedState) => Promise<QueueMoment>
  readonly diff: (queue: string, asked: AskedDiff) => Promise<MomentDiff>
  readonly batches: (queue: string, asked: AskedBatches) => Promise<BatchCosts>
}

/** Looks from this process; `options` are made anew for each question. */
export const lookHere = (log: Log, options: () => LookOptions): Looking => ({
  logAt: ({ at }) => {
    const look = options()
    return logAt(log, momentOrNow(at, 'at', look.now), look)
  },
  span: ({ queue }) => spanOf(log, queue, options()),
  recording: async (queue, { from, partition, frames, work, state }) => {
    const look = options()
    return encodeRecording(
      await recordingOf(log, queue, momentOrNow(from, 'from', look.now), {
        ...look,
        withState: state === '1',
        ...countIn('partition', partition, log.meta.partitions - 1),
        ...countIn('framesMax', frames, framesMax),
        ...countIn('workMax', work, workMax),
      }),
    )
  },
  stateAt: (queue, { at, states, subscription, where, limit, after }) => {
    const look = options()
    return stateAt(log, queue, momentOrNow(at, 'at', look.now), {
      ...look,
      messagesMax: parseLimit(limit),
      ...(states === undefined ? {} : { states: parseStates(states, 'states') }),
      ...(subscription === undefined ? {} : { subscription }),
      ...(where === undefined ? {} : { where }),
      ...(after === undefined ? {} : { after }),
    })
  },
  diff: (queue, { a, b, limit }) => {
    const look = options()
    const from = parseMoment(a, 'a', look.now)
    const to = b === undefined ? { time: look.now } : parseMoment(b, 'b', look.now)
    return diffMoments(log, queue, from, to, { ...look, messagesMax: parseLimit(limit) })
  },
  batches: (queue, asked) => batchCosts(log, queue, { ...options(), ...asked }),
})

const momentOrNow = (text: string | undefined, what: string, now: number): AskedMoment =>
  text === undefined ? { time: now } : parseMoment(text, what, now)

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

/** Looks from the auditor's process where there is one, so that the engine's loop goes on. */
export const lookSource = (here: Looking, auditor: RunningAuditor | undefined): LookSource => ({
  logAt: (asked) => askOrHere(auditor, 'logAt', asked, () => here.logAt(asked)),
  recording: (queue, asked) =>
    askOrHere(auditor, 'recording', { queue, asked }, () => here.recording(queue, asked)),
  span: (asked) => askOrHere(auditor, 'span', asked, () => here.span(asked)),
  stateAt: (queue, asked) =>
    askOrHere(auditor, 'stateAt', { queue, asked }, () => here.stateAt(queue, asked)),
  diff: (queue, asked) => askOrHere(auditor, 'diff', { queue, asked }, () => here.diff(queue, asked)),
  batches: (queue, asked) =>
    askOrHere(auditor, 'batches', { queue, asked }, () => here.batches(queue, asked)),
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
