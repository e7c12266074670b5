import {
  rangeTotal,
  type DiscardReason,
  type LogEventOf,
  rangeBytes,
  type Ranges,
  textBytes,
  pushNumber,
} from '@kiroku/protocol'
import { type Turn } from './Turn.ts'
import type { Subscription } from './state/QueueState.ts'

/** Facts that name numbers of one subscription. */
type Numbered =
  | 'Acked'
  | 'RetryScheduled'
  | 'LeaseExpired'
  | 'RetryDue'
  | 'LeaseExtended'
  | 'Released'
  | 'Deferred'
  | 'DeadLettered'
  | 'Discarded'

interface Group {
  readonly type: Numbered
  readonly sub: Subscription
  /** Due time or lease end; 0 where the fact has none. */
  readonly at: number
  readonly cause: string
  readonly error: string
  readonly reason: DiscardReason | ''
  readonly numbers: Ranges
}

/** The most that a fact of one message takes beside its error text. */
const factBytes = 240

/** The most that one message adds, with an error text of this many bytes. */
export const outcomeBytes = (errorBytes: number): number => factBytes + rangeBytes + errorBytes

/** Collects what happened to single messages into as few facts as possible, in the order of their first message. */
export class Outcomes {
  readonly #groups: Group[] = []
  /** The most that the facts will take that were not emitted yet. */
  bytes = 0
  #error = ''
  #errorBytes = 0

  add(
    type: Numbered,
    sub: Subscription,
    number: number,
    at = 0,
    cause = '',
    error = '',
    reason: DiscardReason | '' = '',
  ): void {
    const groups = this.#groups
    // Nearly always the same as the last few; a longer search would cost more than a further fact.
    for (let i = groups.length - 1, end = Math.max(0, i - 4); i >= end; i--) {
      const g = groups[i]!
      if (
        g.type === type &&
        g.sub === sub &&
        g.at === at &&
        g.cause === cause &&
        g.error === error &&
        g.reason === reason
      ) {
        const { length } = g.numbers
        pushNumber(g.numbers, number)
        if (g.numbers.length > length) this.bytes += rangeBytes
        return
      }
    }
    if (error !== this.#error) {
      this.#error = error
      this.#errorBytes = textBytes(error)
    }
    this.bytes += outcomeBytes(this.#errorBytes)
    groups.push({ type, sub, at, cause, error, reason, numbers: [number, 1] })
  }

  /** Emits the facts; returns how many. */
  flush<B>(turn: Turn<B>): number {
    const { deliveries } = turn.own.times
    for (const g of this.#groups) {
      emitGroup(turn, g)
      if (endsAttempt(g)) deliveries.ended(g.sub, rangeTotal(g.numbers), turn.now, errorOf(g))
      else if (g.type === 'LeaseExtended') deliveries.renewed(g.sub, rangeTotal(g.numbers), turn.now)
    }
    const n = this.#groups.length
    this.#groups.length = 0
    this.bytes = 0
    return n
  }
}

const endsAttempt = ({ type, cause, reason }: Group): boolean =>
  type === 'Acked' ||
  type === 'RetryScheduled' ||
  type === 'LeaseExpired' ||
  // What leaves at the next receive had its last attempt before.
  ((type === 'DeadLettered' || (type === 'Discarded' && reason === 'exhausted')) && cause !== 'nextReceive')

/** Why an attempt failed; undefined: it did not. */
const errorOf = ({ type, error, cause }: Group): string | undefined => {
  if (type === 'Acked') return undefined
  return type === 'LeaseExpired' || cause === 'leaseExpired' ? 'the lease ended' : error
}

const emitGroup = <B>(turn: Turn<B>, g: Group): void => {
  const queue = g.sub.queue.id
  const sub = g.sub.id
  const numbers = g.numbers
  switch (g.type) {
    case 'Acked':
    case 'RetryDue':
      return turn.emit({ type: g.type, queue, sub, numbers })
    case 'RetryScheduled':
    case 'Deferred':
      return turn.emit({ type: g.type, queue, sub, numbers, dueAt: g.at, error: g.error })
    case 'LeaseExpired':
      return turn.emit({ type: 'LeaseExpired', queue, sub, numbers, dueAt: g.at })
    case 'LeaseExtended':
      return turn.emit({ type: 'LeaseExtended', queue, sub, numbers, leaseUntil: g.at })
    case 'Released':
      return turn.emit({
        type: 'Released',
        queue,
        sub,
        numbers,
        cause: g.cause as LogEventOf<'Released'>['cause'],
      })
    case 'Discarded':
      return turn.emit({
        type: 'Discarded',
        queue,
        sub,
        numbers,
        reason: g.reason as DiscardReason,
        cause: g.cause as LogEventOf<'Discarded'>['cause'],
        error: g.error,
      })
    case 'DeadLettered': {
      const { partition, queue: target } = g.sub.config.deadLetter!
      const address = { partition, queue: target }
      return turn.emit({
        type: 'DeadLettered',
        queue,
        sub,
        numbers,
        cause: g.cause as LogEventOf<'DeadLettered'>['cause'],
        error: g.error,
        target: address,
        forward: turn.state.lane(queue, address)?.next ?? turn.state.firstForward,
      })
    }
  }
}
