import { readyRuns, type PartitionState, type Subscription } from '@kiroku/partition'
import {
  firstPlace,
  KirokuError,
  type LogEvent,
  type LogEventOf,
  rangeTotal,
  runNumbers,
} from '@kiroku/protocol'
import { NumberSet } from './NumberSet.ts'

/** Messages that arrived in a frame, with the place of the first one's body among those of its queue. */
export interface Arrival {
  readonly event: LogEventOf<'Enqueued' | 'ForwardReceived'>
  readonly at: number
  readonly index: number
}

/** The arrivals of a queue in an earlier frame; undefined when that is no longer on record. */
export type ArrivalsIn = (seq: number, queue: number) => readonly Arrival[] | undefined

const refuse = (what: string): never => {
  throw new KirokuError('LogDamaged', what)
}

/**
 * Checks what is restored to a subscription against the record: that it was sent, has not ended, and is
 * restored once.
 */
export class RestoreCheck {
  readonly #state: PartitionState
  /** What the subscriptions being filled have of the past so far. */
  readonly #had = new WeakMap<Subscription, NumberSet>()

  constructor(state: PartitionState) {
    this.#state = state
  }

  /** The delay of these messages has ended; some subscriptions may not get them again. */
  elapsed(queue: { readonly subs: readonly Subscription[] }, first: number, count: number): void {
    for (const sub of queue.subs) {
      const before = sub.fill === undefined ? undefined : this.#had.get(sub)
      const own = first + count - Math.max(first, sub.from)
      if (own > 0) before?.add(Math.max(first, sub.from), own)
    }
  }

  /** Errors: `LogDamaged`. */
  check(e: LogEventOf<'RunsRestored'>, sub: Subscription, arrivals: ArrivalsIn): void {
    const { fill, from, queue, config } = sub
    if (fill === undefined) return refuse(`runs are restored to "${sub.name}", which is complete`)
    const [seq, events] = e.done
    const isAhead = seq > fill.done[0] || (seq === fill.done[0] && events > fill.done[1])
    if (!isAhead || seq < fill.readFrom || seq > fill.openedSeq)
      refuse(`runs of record ${seq} are restored to "${sub.name}" where others are next`)
    const had = this.#numbersOf(sub, fill.until)
    const take = (first: number, count: number): void => {
      const nameless = `messages ${first} to ${first + count - 1} of queue ${e.queue}`
      if (first < Math.max(from, queue.purgedTo) || count < 1 || first + count > fill.until)
        refuse(`${nameless} are not of the past`)
      if (!had.add(first, count)) refuse(`${nameless} are restored twice`)
      for (let n = first; n < first + count; n++)
        if (this.#state.findDelayed(sub.queue, n) !== undefined)
          refuse(`message ${n} still waits for its time`)
    }
    const { runs, filtered = [] } = e
    for (let i = 0; i < runs.length; i += runNumbers) {
      const [first, count, seq, index, enqueuedAt] = runs.slice(i, i + runNumbers) as [
        number,
        number,
        number,
        number,
        number,
      ]
      take(first, count)
      if (enqueuedAt + config.retentionMs <= this.#state.at)
        refuse(`message ${first} of queue ${e.queue} is restored after its retention`)
      const inFrame = arrivals(seq, e.queue)
      if (inFrame === undefined) continue
      const arrival = lastBegun(inFrame, first)
      if (arrival === undefined || !isOf(arrival, first, count, index, enqueuedAt))
        return refuse(`message ${first} of queue ${e.queue} did not arrive so at ${seq}`)
      const { tag = '', group = '' } = arrival.event
      if (!sub.passes(tag)) refuse(`message ${first} does not pass the filter of "${sub.name}"`)
      if (e.groups !== undefined && e.groups[i / runNumbers] !== group)
        refuse(`message ${first} of queue ${e.queue} is of group "${group}"`)
    }
    for (let i = 0; i < filtered.length; i += 2) take(filtered[i]!, filtered[i + 1]!)
  }

  #numbersOf(sub: Subscription, until: number): NumberSet {
    let had = this.#had.get(sub)
    if (had === undefined) {
      had = new NumberSet()
      const { runs } = this.#state
      for (const run of readyRuns(this.#state, sub))
        if (runs.first(run) < until) had.add(runs.first(run), runs.count(run))
      this.#had.set(sub, had)
    }
    return had
  }
}

/** The last arrival that begins at or before message `n`; arrivals are in the order of their numbers. */
const lastBegun = (arrivals: readonly Arrival[], n: number): Arrival | undefined =>
  arrivals[firstPlace(arrivals.length, (place) => arrivals[place]!.event.first > n) - 1]

const isOf = (
  { event: e, at, index }: Arrival,
  first: number,
  count: number,
  place: number,
  enqueuedAt: number,
): boolean => {
  const offset = first - e.first
  if (offset < 0 || offset + count > e.count || index + offset !== place) return false
  return enqueuedAt === at || (e.type === 'ForwardReceived' && enqueuedAt === e.enqueuedAt[offset])
}

/** The arrivals of each queue in a frame. */
export const arrivalsOf = (at: number, events: readonly LogEvent[]): Map<number, Arrival[]> => {
  const places = new Map<number, number>()
  const found = new Map<number, Arrival[]>()
  for (const event of events) {
    if (event.type === 'LettersCarried')
      places.set(event.source, (places.get(event.source) ?? 0) + rangeTotal(event.forwards))
    const isArrival = event.type === 'Enqueued' || event.type === 'ForwardReceived'
    if (!isArrival && event.type !== 'BodiesCarried' && event.type !== 'BodyEdited') continue
    const index = places.get(event.queue) ?? 0
    const bodies = isArrival ? event.count : event.type === 'BodyEdited' ? 1 : rangeTotal(event.numbers)
    places.set(event.queue, index + bodies)
    if (!isArrival) continue
    const arrivals = found.get(event.queue)
    if (arrivals === undefined) found.set(event.queue, [{ event, at, index }])
    else arrivals.push({ event, at, index })
  }
  return found
}
