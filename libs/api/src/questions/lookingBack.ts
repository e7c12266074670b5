import {
  parseMoment,
  parseStates,
  questionLimits,
  type AskedMoment,
  type RecordQuestions,
} from '@kiroku/audit'
import * as Schema from 'effect/Schema'
import { given } from '../given.ts'
import { parseCount } from './parseCount.ts'
import { queryText, type QueryTexts } from './QueryText.ts'

const { momentMessagesMax, recordingFramesMax, recordingWorkMax } = questionLimits
const messagesDefault = 100

/** A moment in its written form. */
export const momentText = (what: string) =>
  Schema.String.annotate({
    description: `${what}: a sequence (1234, 3/1234), a time (2026-11-21T14:02:31Z, 14:02:31, or in ms since 1970), or how long ago (5m)`,
  })

/** The moment of a parameter; undefined, which is now, where there is none. Errors: `InvalidArgument`. */
export const momentOf = (text: string | undefined, what: string, nowMs: number): AskedMoment | undefined =>
  text === undefined ? undefined : parseMoment(text, what, nowMs)

const limit = queryText(`Most messages to name, up to ${momentMessagesMax}; default ${messagesDefault}`)
const messagesMaxOf = (text: string | undefined): number =>
  text === undefined ? messagesDefault : parseCount(text, 'limit', 0, momentMessagesMax)

/** Parameters of a look at all queues. */
export const logQuery = { at: Schema.optionalKey(momentText('The moment; default: now')) }

/** The requested moment of all queues. Errors: `InvalidArgument`. */
export const logQuestion = (
  { at }: QueryTexts<typeof logQuery>,
  nowMs: number,
): RecordQuestions['logAt']['asked'] => given({ at: momentOf(at, 'at', nowMs) })

/** Parameters of a look at one queue. */
export const stateQuery = {
  at: Schema.optionalKey(momentText('The moment; default: now')),
  states: queryText('List only messages in these states, separated by commas'),
  subscription: queryText('Name messages of this subscription only; default all'),
  where: queryText(
    'List only messages that match this filter; at a moment state, queue, subscription, attempt, group, partition, number and sent are known',
  ),
  limit,
  after: queryText('`next` of the page before'),
}

/** The requested moment of a queue, and which of its messages. Errors: `InvalidArgument`. */
export const stateQuestion = (
  queue: string,
  { at, states, subscription, where, limit, after }: QueryTexts<typeof stateQuery>,
  nowMs: number,
): RecordQuestions['stateAt']['asked'] => ({
  queue,
  messagesMax: messagesMaxOf(limit),
  ...given({
    at: momentOf(at, 'at', nowMs),
    states: states === undefined ? undefined : parseStates(states, 'states'),
    subscription,
    where,
    after,
  }),
})

/** Parameters of a comparison. */
export const diffQuery = {
  a: momentText('The earlier moment'),
  b: Schema.optionalKey(momentText('The later one; default: now')),
  limit,
}

/** Which moments of a queue are compared. Errors: `InvalidArgument`. */
export const diffQuestion = (
  queue: string,
  { a, b, limit }: QueryTexts<typeof diffQuery>,
  nowMs: number,
): RecordQuestions['diff']['asked'] => ({
  queue,
  from: parseMoment(a, 'a', nowMs),
  messagesMax: messagesMaxOf(limit),
  ...given({ to: momentOf(b, 'b', nowMs) }),
})

/** Parameters of a recording. */
export const recordingQuery = {
  from: Schema.optionalKey(momentText('The moment; default: now')),
  partition: queryText("Default: the queue's home"),
  frames: queryText(`Most frames beyond the moment, up to ${recordingFramesMax}; default 1000`),
  work: queryText(`Most changes in these, up to ${recordingWorkMax}; default 50000`),
  state: queryText(
    '1: include the state a little before the moment, to begin a replay; otherwise only frames after the moment',
  ),
}

/** Which part of a log of `partitions` is recorded. Errors: `InvalidArgument`. */
export const recordingQuestion = (
  queue: string,
  { from, partition, frames, work, state }: QueryTexts<typeof recordingQuery>,
  { nowMs, partitions }: { readonly nowMs: number; readonly partitions: number },
): RecordQuestions['recording']['asked'] => {
  const countOf = (text: string | undefined, what: string, max: number): number | undefined =>
    text === undefined ? undefined : parseCount(text, what, 0, max)
  return {
    queue,
    withState: state === '1',
    ...given({
      from: momentOf(from, 'from', nowMs),
      partition: countOf(partition, 'partition', partitions - 1),
      framesMax: countOf(frames, 'frames', recordingFramesMax),
      workMax: countOf(work, 'work', recordingWorkMax),
    }),
  }
}
