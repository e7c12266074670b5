import type { Actor, LogEvent, LogEventOf, LogEventType } from '@kiroku/protocol'
import type { TraceStep } from './TraceStep.ts'

/** What a line of a followed queue says of an event besides messages and states. */
export interface TailWords {
  readonly consumer?: string
  /** Why: a cause, a reason, an error, who did it. */
  readonly cause?: string
  /** When a delay, a pause or a lease ends, in ms of partition time. */
  readonly until?: number
}

/** A step of a trace with the parts of its sentence. */
export interface StepWords extends TraceStep {
  /** ` (subscription mails)`, or empty. */
  readonly group: string
  /** ` by ann`, and `, because: …`, or empty. */
  readonly byWho: string
  readonly why: string
  /** How the delivery ended. */
  readonly end: string
  readonly writeTime: (at: number) => string
}

/** An event in words, wherever it is shown. */
interface EventWords<E> {
  /** What was done, for administrative acts. */
  readonly act?: string
  readonly tail?: (e: E) => TailWords
  /** In the story of one message; absent where another sentence says it. */
  readonly story?: (step: StepWords) => string
  /** How a delivery ended by it. */
  readonly end?: string
}

const until = (at: number): Pick<TailWords, 'until'> => (at === 0 ? {} : { until: at })

const said = (cause: string, error: string): Pick<TailWords, 'cause'> => ({
  cause: error === '' ? cause : `${cause}: ${error}`,
})

const discarded = ({ byWho, cause, reason }: StepWords): string =>
  `It was discarded${byWho}: ${cause ?? reason}.`

const causes: Readonly<Record<string, string>> = {
  retry: 'no attempt was left after that',
  leaseExpired: 'its lease ended, and no attempt was left',
  nextReceive: 'it was asked for again when no attempt was left',
  onPurpose: 'the consumer gave it up on purpose',
}

/** By type of event; others are shown by name and actor. */
const eventWords: { readonly [T in LogEventType]?: EventWords<LogEventOf<T>> } = {
  Enqueued: {
    tail: ({ producer, dueAt }) => ({ cause: `from ${producer}`, ...until(dueAt) }),
    story: ({ queue, producer, dueAt, writeTime }) =>
      `It was sent to ${queue}${producer === undefined ? '' : ` by ${producer}`}${dueAt === undefined ? '' : `, to be delivered from ${writeTime(dueAt)} on`}.`,
  },
  Deduplicated: { tail: ({ producer }) => ({ cause: `from ${producer}, sent before` }) },
  ForwardReceived: {
    tail: ({ from }) => ({ cause: `forwarded from queue ${from.partition}/${from.queue}` }),
    story: ({ queue }) => `It arrived in ${queue}.`,
  },
  Delivered: {
    tail: ({ consumer, leaseUntil }) => ({ consumer, until: leaseUntil }),
    story: ({ attempt, queue, group, consumer, end }) =>
      `Attempt ${attempt} in ${queue}${group}, by ${consumer}: ${end}.`,
  },
  LeaseExtended: { tail: ({ leaseUntil }) => ({ until: leaseUntil }) },
  Acked: { end: 'done' },
  RetryScheduled: {
    tail: ({ error, dueAt }) => ({ ...said('retry', error), ...until(dueAt) }),
    end: 'it failed',
  },
  Released: {
    tail: ({ cause }) => ({ cause }),
    end: 'it was given back, which costs no attempt',
  },
  Deferred: {
    tail: ({ error, dueAt }) => ({ ...said('given back', error), ...until(dueAt) }),
    end: 'it was given back to wait, which costs no attempt',
  },
  LeaseExpired: {
    tail: ({ dueAt }) => ({ cause: 'the lease expired', ...until(dueAt) }),
    end: 'the lease expired before it was settled',
  },
  DeadLettered: {
    tail: ({ cause, error }) => said(cause, error),
    story: ({ queue, group, cause, error, target }) =>
      `It became a dead letter of ${queue}${group}, as ${causes[cause ?? ''] ?? cause}${error === undefined ? '' : `: ${oneLine(error)}`}. It went to ${target?.queue}.`,
  },
  Discarded: {
    act: 'discarded messages',
    tail: ({ reason, cause, error }) => said(reason === cause ? reason : `${reason}, ${cause}`, error),
    story: ({ queue, group, byWho, why, reason, error }) =>
      `It was discarded in ${queue}${group}${byWho}${why}: ${reason}${error === undefined ? '' : `, ${oneLine(error)}`}.`,
    end: 'it failed',
  },
  Redriven: {
    tail: ({ name }) => ({ cause: `redriven to ${name}` }),
    story: ({ target, byWho, why }) => `It was redriven to ${target?.queue}${byWho}${why}.`,
  },
  Readdressed: { story: ({ target }) => `Its target had been deleted; it went to ${target?.queue}.` },
  BodyEdited: { act: 'edited a body', story: ({ byWho, why }) => `Its body was edited${byWho}${why}.` },
  Recalled: { act: 'recalled a message', story: discarded },
  Rescheduled: { act: 'rescheduled a message' },
  Erased: { act: 'erased messages', story: ({ byWho, why }) => `It was erased${byWho}${why}.` },
  KeysDeleted: { story: () => 'Its key was deleted: it cannot be read any more.' },
  DeliveryHeld: { tail: ({ error, until }) => ({ ...said('deliveries held', error), until }) },
  DeliveryPaused: { act: 'paused delivery' },
  DeliveryResumed: { act: 'resumed delivery' },
  QueueCreated: { act: 'created the queue' },
  QueueConfigured: { act: 'changed the queue' },
  QueueNoted: { act: 'changed notes of the queue' },
  QueueDeleted: { act: 'deleted the queue', story: discarded },
  QueuePurged: { act: 'purged the queue', story: discarded },
  QueueSpread: { act: 'spread the queue' },
  SubscriptionCreated: { act: 'created a subscription' },
  SubscriptionConfigured: { act: 'changed a subscription' },
  SubscriptionReset: { act: 'reset a subscription', story: discarded },
  SubscriptionDeleted: { act: 'deleted a subscription', story: discarded },
  RedriveStarted: { act: 'began a redrive' },
  RedriveEnded: { act: 'cancelled a redrive' },
  Repaired: { act: 'repaired the log' },
}

/** An administrative act in words; an unknown event keeps its name. */
export const actWords = (event: string): string => wordsOf(event)?.act ?? event

/** What a line of a followed queue says of an event. */
export const tailWords = (e: LogEvent): TailWords =>
  wordsOf<LogEvent>(e.type)?.tail?.(e) ?? ('by' in e && e.by !== undefined ? { cause: byText(e.by) } : {})

/** A sentence of a message's story, without its time; undefined where another one says it. */
export const storyWords = (step: StepWords): string | undefined => wordsOf(step.event)?.story?.(step)

/** How a delivery ended, by the event that ended it. */
export const endWords = (event: string): string | undefined => wordsOf(event)?.end

const wordsOf = <E>(event: string): EventWords<E> | undefined =>
  (eventWords as Readonly<Record<string, EventWords<E>>>)[event]

const byText = ({ name, origin, reason }: Actor): string =>
  `by ${name} (${origin})${reason === undefined ? '' : `: ${reason}`}`

/** Text without line breaks and runs of spaces. */
export const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
