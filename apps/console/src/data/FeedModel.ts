import { type Population } from '@kiroku/message'
import {
  type FeedUpdate,
  type FeedProgress,
  noCounts,
  type QueueCounts,
  stateNames,
  type TransitionCount,
} from '@kiroku/protocol'
import { noActivity, QueueActivity, type Tally } from './QueueActivity.ts'

/** How many messages took a transition, by `from→to`, once per subscription; and how many were sent. */
export type Flow = ReadonlyMap<string, number>

/** Where a flow has what was sent, however many subscriptions got it. */
export const sentKey = 'sent'

/** What happened in one second, in all queues of the feed together. */
interface Second {
  readonly at: number
  readonly flow: Map<string, number>
}

/** Seconds that are kept, for rates and small charts. */
const secondsMax = 90

/** Nothing anywhere. */
export const noPopulation: Population = {
  Held: 0,
  Delayed: 0,
  Available: 0,
  Inflight: 0,
  WaitingRetry: 0,
  Committed: 0,
  DLQ: 0,
  Discarded: 0,
}

const stateOfCount: Readonly<Partial<Record<keyof QueueCounts, keyof Population>>> = {
  delayed: 'Delayed',
  available: 'Available',
  inflight: 'Inflight',
  waitingRetry: 'WaitingRetry',
  committed: 'Committed',
  deadLettered: 'DLQ',
  discarded: 'Discarded',
}

/** Counts of a queue by the states of the machine. */
export const populationOfCounts = (counts: Partial<QueueCounts>): Population => {
  const population: Record<keyof Population, number> = { ...noPopulation }
  for (const [count, state] of Object.entries(stateOfCount))
    population[state] = counts[count as keyof QueueCounts] ?? 0
  return population
}

/**
 * What a view knows of the queues from the feed: their counts, and what happened in the last seconds. It is
 * written at most ten times per second, and read when the page is drawn. `now` is the reader's clock in ms:
 * rates are per second of that clock.
 */
export class FeedModel {
  readonly #queues = new Map<string, Record<keyof QueueCounts, number>>()
  #seconds: Second[] = []
  #place = {
    position: '',
    at: 0,
    silent: [] as readonly number[],
    seqs: [] as readonly number[],
  }
  #hasSnapshot = false
  #names: readonly string[] | undefined
  #since: number | undefined
  readonly #activity = new Map<string, QueueActivity>()
  #sums: { readonly key: string; readonly tallies: ReadonlyMap<string, Tally> } | undefined

  /**
   * Says that the feed begins, or resumes after a break. What happened in between arrives at once and is not
   * a rate, so rates and small charts restart with the next message.
   */
  opened(): void {
    this.#since = undefined
    this.#seconds = []
    this.#activity.clear()
    this.#sums = undefined
  }

  /** Takes a message of the feed. */
  accept(message: FeedUpdate, now: number): void {
    const isFirst = this.#since === undefined
    this.#since ??= now
    if (message.kind === 'snapshot') {
      this.#queues.clear()
      this.#names = undefined
      for (const { queue, counts } of message.queues) this.#queues.set(queue, { ...counts })
      this.#hasSnapshot = true
    } else {
      const second = isFirst ? undefined : this.#second(now)
      for (const { queue, transitions, change, ended } of message.queues) {
        if (second !== undefined) {
          count(second.flow, transitions)
          if (change.sent !== undefined) addTo(second.flow, sentKey, change.sent)
          this.#activityOf(queue).add(second.at, transitions, change)
        }
        if (ended === true) this.#end(queue)
        else this.#change(queue, change)
      }
    }
    const { position, at, silent, seqs } = message
    this.#place = { position, at, silent, seqs }
  }

  /** Takes a heartbeat. */
  heartbeat({ position, at, silent }: Pick<FeedProgress, 'position' | 'at' | 'silent'>): void {
    this.#place = { ...this.#place, position, at, silent }
  }

  /**
   * When the feed began, or resumed after a break, by the reader's clock in ms; undefined: it has not yet.
   */
  get since(): number | undefined {
    return this.#since
  }

  /** Whether it has a snapshot. */
  get hasSnapshot(): boolean {
    return this.#hasSnapshot
  }

  /** Its position. */
  get place(): FeedProgress {
    return this.#place
  }

  /** Names of the queues in order; the same array until a queue comes or goes. */
  queueNames(): readonly string[] {
    return (this.#names ??= [...this.#queues.keys()].sort())
  }

  /**
   * How many of the last `seconds` whole seconds it knows of: fewer than requested when it has just begun.
   */
  knownSeconds(now: number, seconds: number): number {
    const since = this.#since === undefined ? now : this.#since
    return Math.max(0, Math.min(seconds, Math.floor(now / 1_000) - Math.ceil(since / 1_000)))
  }

  /**
   * What happened to each queue per second, over the last `seconds` whole seconds; queues where nothing did
   * since the feed began are absent. It is computed once per second, however often it is read.
   */
  activity(now: number, seconds: number): ReadonlyMap<string, Tally> {
    const key = `${Math.floor(now / 1_000)} ${seconds}`
    if (this.#sums?.key === key) return this.#sums.tallies
    const tallies = new Map<string, Tally>()
    for (const queue of this.#activity.keys()) tallies.set(queue, this.activityOf(queue, now, seconds))
    this.#sums = { key, tallies }
    return tallies
  }

  /** What happened to one queue per second, over the last `seconds` whole seconds. */
  activityOf(queue: string, now: number, seconds: number): Tally {
    const end = Math.floor(now / 1_000)
    const by = Math.max(1, this.knownSeconds(now, seconds))
    return this.#activity.get(queue)?.sum(end - seconds, end, by) ?? noActivity
  }

  /** A queue in each of the last `seconds` whole seconds, the oldest first; undefined where nothing is known. */
  series(queue: string, of: keyof Tally, now: number, seconds: number): (number | undefined)[] {
    const unknown = seconds - this.knownSeconds(now, seconds)
    const begin = Math.floor(now / 1_000) - seconds
    const activity = this.#activity.get(queue)
    return Array.from({ length: seconds }, (_, i) =>
      i < unknown ? undefined : (activity?.at(begin + i, of) ?? 0),
    )
  }

  /** The same in the current second. */
  unfinished(queue: string, of: keyof Tally, now: number): number {
    return this.#activity.get(queue)?.at(Math.floor(now / 1_000), of) ?? 0
  }

  /** The counts of a queue. */
  countsOf(queue: string): Readonly<QueueCounts> | undefined {
    return this.#queues.get(queue)
  }

  /** How many messages are in each state, in one queue or in all. */
  population(queue?: string): Population {
    if (queue !== undefined) return populationOfCounts(this.#queues.get(queue) ?? {})
    const sum: Record<keyof Population, number> = { ...noPopulation }
    for (const counts of this.#queues.values()) {
      const own = populationOfCounts(counts)
      for (const state of stateNames) sum[state] += own[state]
    }
    return sum
  }

  /**
   * Messages per second on each transition, over the last `seconds` whole seconds, in all queues of the feed.
   */
  rates(now: number, seconds: number): Flow {
    const sums = new Map<string, number>()
    const end = Math.floor(now / 1_000)
    for (const { at, flow } of this.#seconds) {
      if (at < end - seconds || at >= end) continue
      for (const [key, count] of flow) sums.set(key, (sums.get(key) ?? 0) + count / seconds)
    }
    return sums
  }

  /** Messages in each of the last `seconds` whole seconds that pass the test, the oldest first. */
  history(now: number, seconds: number, takes: (transition: string) => boolean): number[] {
    const end = Math.floor(now / 1_000)
    const values = new Array<number>(seconds).fill(0)
    for (const { at, flow } of this.#seconds) {
      const i = at - (end - seconds)
      if (i < 0 || i >= seconds) continue
      for (const [key, count] of flow) if (takes(key)) values[i]! += count
    }
    return values
  }

  #change(queue: string, change: Partial<QueueCounts>): void {
    let counts = this.#queues.get(queue)
    if (counts === undefined) {
      this.#queues.set(queue, (counts = { ...noCounts }))
      this.#names = undefined
    }
    for (const [name, by] of Object.entries(change)) counts[name as keyof QueueCounts] += by
  }

  #end(queue: string): void {
    this.#queues.delete(queue)
    this.#activity.delete(queue)
    this.#names = undefined
  }

  #activityOf(queue: string): QueueActivity {
    let activity = this.#activity.get(queue)
    if (activity === undefined) this.#activity.set(queue, (activity = new QueueActivity()))
    return activity
  }

  #second(now: number): Second {
    const at = Math.floor(now / 1_000)
    const last = this.#seconds.at(-1)
    if (last !== undefined && last.at >= at) return last
    const second: Second = { at, flow: new Map() }
    this.#seconds.push(second)
    while (this.#seconds[0]!.at < at - secondsMax) this.#seconds.shift()
    return second
  }
}

const count = (flow: Map<string, number>, transitions: readonly TransitionCount[]): void => {
  for (const { from, to, count } of transitions) addTo(flow, `${from}→${to}`, count)
}

const addTo = (flow: Map<string, number>, key: string, count: number): void =>
  void flow.set(key, (flow.get(key) ?? 0) + count)
