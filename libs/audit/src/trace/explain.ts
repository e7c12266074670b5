import type { StateName } from '@kiroku/protocol'
import { groupName } from '../letters/DeadLetters.ts'
import type { Trace, TraceAttempt, TraceStep } from './TraceStep.ts'
import { causalSteps } from './causalSteps.ts'
import { endWords, oneLine, storyWords } from './eventWords.ts'
import { timesText } from './redriveCount.ts'
import { durationText, timeText } from './renderTrace.ts'

/** What happened to a message, in sentences and as data. */
export interface Explanation {
  readonly messageId: string
  readonly queues: readonly string[]
  readonly state: StateName
  /** Where it is, or ended, and since when. */
  readonly queue: string
  readonly since: number
  readonly attempts: readonly TraceAttempt[]
  /** Why it last became a dead letter, and the group of its kind there; absent: it never did. */
  readonly died?: {
    readonly queue: string
    readonly at: number
    readonly cause: string
    readonly error: string
    readonly group: string
    readonly target: string
  }
  readonly cameBack: number
  readonly sentences: readonly string[]
}

type WriteTime = (at: number) => string

/** Explains a trace in sentences; `writeTime` writes the times in them, in UTC by default. */
export const explain = (trace: Trace, writeTime: WriteTime = timeText): Explanation => {
  const valid = trace.steps.filter(({ voided }) => voided !== true)
  const steps = causalSteps(valid)
  const { attempts } = trace
  const last = steps.at(-1)!
  const dead = steps.findLast(({ event }) => event === 'DeadLettered')
  const { cameBack } = trace
  // Every delivery in the steps has an attempt, in the same order.
  let attempt = 0
  const told = steps.flatMap((step) => {
    const end = step.event === 'Delivered' ? endOf(attempts[attempt++], valid) : ''
    const sentence = sentenceOf(step, end, writeTime)
    return sentence === undefined ? [] : [sentence]
  })
  return {
    messageId: trace.messageId,
    queues: trace.queues,
    state: trace.state,
    queue: last.queue,
    since: last.at,
    attempts,
    ...(dead === undefined ? {} : { died: diedOf(dead) }),
    cameBack,
    sentences: [
      ...(trace.complete ? [] : ['The record begins later than the message: earlier events were trimmed.']),
      ...told,
      ...(cameBack === 0 ? [] : [`It was redriven and came back ${timesText(cameBack)}.`]),
      standing(trace.state, last, writeTime),
    ],
  }
}

const diedOf = ({ queue, at, cause = '', error = '', target }: TraceStep): Explanation['died'] & object => ({
  queue,
  at,
  cause,
  error,
  group: groupName(cause, error),
  target: target?.queue ?? '',
})

/** The sentence of a step, with how its delivery ended; none for steps included in another's. */
const sentenceOf = (step: TraceStep, end: string, writeTime: WriteTime): string | undefined => {
  const { subscription, by } = step
  const story = storyWords({
    ...step,
    group: subscription === undefined ? '' : ` (subscription ${subscription})`,
    byWho: by === undefined ? '' : ` by ${by.name}`,
    why: by?.reason === undefined ? '' : `, because: ${by.reason}`,
    end,
    writeTime,
  })
  return story === undefined ? undefined : `${writeTime(step.at)}  ${story}`
}

const endOf = (attempt: TraceAttempt | undefined, steps: readonly TraceStep[]): string => {
  if (attempt === undefined) return 'its end is not on record'
  const { outcome, ms, error, queue, at } = attempt
  if (outcome === undefined || ms === undefined) return 'it is still in flight'
  const died = steps.find((s) => s.event === 'DeadLettered' && s.queue === queue && s.at === at + ms)
  const end = outcome === 'DeadLettered' ? deadEnds[died?.cause ?? ''] : endWords(outcome)
  const why = error === undefined ? '' : `: ${oneLine(error)}`
  return `${end ?? 'it was discarded'} after ${durationText(ms)}${why}`
}

/** How the last delivery ended, by the cause of the dead letter. */
const deadEnds: Readonly<Record<string, string>> = {
  leaseExpired: 'the lease expired before it was settled',
  onPurpose: 'the consumer gave it up',
  retry: 'it failed',
}

const standing = (state: StateName, { queue, at }: TraceStep, writeTime: WriteTime): string => {
  const since = `since ${writeTime(at)}`
  switch (state) {
    case 'Committed':
      return `It is done, ${since}.`
    case 'Discarded':
      return `It is discarded, ${since}.`
    case 'DLQ':
      return `It is on its way to its dead-letter queue, ${since}.`
    case 'Inflight':
      return `It is in ${queue}, and in flight ${since}.`
    case 'Available':
      return `It is in ${queue}, ready to be received, ${since}.`
    default:
      return `It is in ${queue} and waits (${state}), ${since}.`
  }
}
