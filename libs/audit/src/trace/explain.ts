import type { LogEventType, StateName } from '@kiroku/protocol'
import { groupName } from '../letters/DeadLetters.ts'
import type { Trace, TraceAttempt, TraceStep } from './TraceStep.ts'
import { causalSteps } from './causalSteps.ts'
import { timesText } from './redriveCount.ts'
import { durationText, timeText } from './renderTrace.ts'

/** What happened to a message, in sentences and as data. */
export interface Explanation {
  readonly messageId: string
  readonly queues: readonly string[]
  readonly state: StateName
  /** Where it lies, or ended, and since when. */
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

/** Tells a trace in sentences; `writeTime` writes the times in them, in UTC by default. */
export const explain = (trace: Trace, writeTime: WriteTime = timeText): Explanation => {
  const valid = trace.steps.filter(({ voided }) => voided !== true)
  const steps = causalSteps(valid)
  const { attempts } = trace
  const last = steps.at(-1)!
  const dead = steps.findLast(({ event }) => event === 'DeadLettered')
  const { cameBack } = trace
  // Every delivery that is told of has an attempt, in the same order.
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
      ...(trace.complete ? [] : ['The record begins later than the message: what was before is gone.']),
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

const causes: Readonly<Record<string, string>> = {
  retry: 'no attempt was left after that',
  leaseExpired: 'its lease ended, and no attempt was left',
  nextReceive: 'it was asked for again when no attempt was left',
  onPurpose: 'the consumer gave it up on purpose',
}

/** What a step says, with how its delivery ended; nothing for those that are told with that. */
const sentenceOf = (step: TraceStep, end: string, writeTime: WriteTime): string | undefined => {
  const when = writeTime(step.at)
  const group = step.subscription === undefined ? '' : ` (subscription ${step.subscription})`
  const by = step.by === undefined ? '' : ` by ${step.by.name}`
  const why = step.by?.reason === undefined ? '' : `, because: ${step.by.reason}`
  switch (step.event) {
    case 'Enqueued':
      return `${when}  It was sent to ${step.queue}${step.producer === undefined ? '' : ` by ${step.producer}`}${step.dueAt === undefined ? '' : `, to be delivered from ${writeTime(step.dueAt)} on`}.`
    case 'Delivered':
      return `${when}  Attempt ${step.attempt} in ${step.queue}${group}, by ${step.consumer}: ${end}.`
    case 'DeadLettered':
      return `${when}  It became a dead letter of ${step.queue}${group}, as ${causes[step.cause ?? ''] ?? step.cause}${step.error === undefined ? '' : `: ${oneLine(step.error)}`}. It went to ${step.target?.queue}.`
    case 'ForwardReceived':
      return `${when}  It arrived in ${step.queue}.`
    case 'BodyEdited':
      return `${when}  Its body was edited${by}${why}.`
    case 'Readdressed':
      return `${when}  Its target had been deleted; it went to ${step.target?.queue}.`
    case 'Redriven':
      return `${when}  It was redriven to ${step.target?.queue}${by}${why}.`
    case 'Recalled':
    case 'QueuePurged':
    case 'QueueDeleted':
    case 'SubscriptionDeleted':
    case 'SubscriptionReset':
      return `${when}  It was discarded${by}: ${step.cause ?? step.reason}.`
    case 'Erased':
      return `${when}  It was erased${by}${why}.`
    case 'KeysDeleted':
      return `${when}  Its key was deleted: nobody can read it any more.`
    case 'Discarded':
      return `${when}  It was discarded in ${step.queue}${group}${by}${why}: ${step.reason}${step.error === undefined ? '' : `, ${oneLine(step.error)}`}.`
    default:
      return undefined
  }
}

const ends: Readonly<Partial<Record<LogEventType, string>>> = {
  Acked: 'done',
  RetryScheduled: 'it failed',
  LeaseExpired: 'the lease ended and nobody had settled it',
  Released: 'it was given back, which costs no attempt',
  Deferred: 'it was given back to wait, which costs no attempt',
  Discarded: 'it failed',
}

const endOf = (attempt: TraceAttempt | undefined, steps: readonly TraceStep[]): string => {
  if (attempt === undefined) return 'its end is not on record'
  const { outcome, ms, error, queue, at } = attempt
  if (outcome === undefined || ms === undefined) return 'it is still worked on'
  const died = steps.find((s) => s.event === 'DeadLettered' && s.queue === queue && s.at === at + ms)
  const end = outcome === 'DeadLettered' ? deadEnds[died?.cause ?? ''] : ends[outcome]
  const why = error === undefined ? '' : `: ${oneLine(error)}`
  return `${end ?? 'it was discarded'} after ${durationText(ms)}${why}`
}

/** How the last delivery ended, by the cause of the dead letter. */
const deadEnds: Readonly<Record<string, string>> = {
  leaseExpired: 'the lease ended and nobody had settled it',
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
      return `It is in ${queue}, and somebody works on it ${since}.`
    case 'Available':
      return `It lies in ${queue}, ready to be received, ${since}.`
    default:
      return `It lies in ${queue} and waits (${state}), ${since}.`
  }
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
