import { stateNames, type Population } from '@kiroku/message'
import type { QueueCounts } from '@kiroku/partition'
import type { FeedMessage, TransitionCount } from '@kiroku/audit'

/** How many messages took a transition, by `from→to`. */
export type Flow = ReadonlyMap<string, number>

/** A second of what happened. */
interface Second {
  readonly at: number
  readonly queues: Map<string, Map<string, number>>
}

/** Seconds that are kept, for rates and small charts. */
const secondsMax = 90

const noPopulation: Population = {
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
const populationOfCounts = (counts: Partial<QueueCounts>): Population => {
  const population: Record<keyof Population, number> = { ...noPopulation }
  for (const [count, state] of Object.entries(stateOfCount))
    population[state] = counts[count as keyof QueueCounts] ?? 0
  return population
}

/**
 * What a view knows of the queues by the feed: how they stand, and what happened in the last seconds. It is written
 * ten times a second at most, and read when the page is drawn. `now` is the reader's clock in ms: rates are about
 * what came in a while of it.
 */
export class FeedModel {
  readonly #queues = new Map<string, Record<keyof QueueCounts, number>>()
  #seconds: Second[] = []
  #place = { position: '', at: 0, lag: 0, seqs: [] as readonly number[] }
  #hasSnapshot = false

  /** Takes a message of the feed. */
  accept(message: FeedMessage, now: number): void {
    if (message.kind === 'snapshot') {
      this.#queues.clear()
      for (const { queue, counts } of message.queues) this.#queues.set(queue, { ...counts })
      this.#hasSnapshot = true
    } else {
      const second = this.#second(now)
      for (const { queue, transitions, change, ended } of message.queues) {
        this.#count(second, queue, transitions)
        if (ended === true) this.#queues.delete(queue)
        else this.#change(queue, change)
      }
    }
    const { position, at, lag, seqs } = message
    this.#place = { position, at, lag, seqs }
  }

  /** Takes a sign of life. */
  heartbeat({ position, at, lag }: { position: string; at: number; lag: number }): void {
    this.#place = { ...this.#place, position, at, lag }
  }

  /** Whether it knows how things stand. */
  get hasSnapshot(): boolean {
    return this.#hasSnapshot
  }

  /** How far it is: what to come back with, partition time, records that the log has beyond, records it contains. */
  get place(): {
    readonly position: string
    readonly at: number
    readonly lag: number
    readonly seqs: readonly number[]
  } {
    return this.#place
  }

  /** Names of the queues in order. */
  queueNames(): string[] {
    return [...this.#queues.keys()].sort()
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

  /** Messages a second on each transition, over the last `seconds` whole seconds. */
  rates(now: number, seconds: number, queue?: string): Flow {
    const sums = new Map<string, number>()
    const end = Math.floor(now / 1_000)
    for (const second of this.#seconds) {
      if (second.at < end - seconds || second.at >= end) continue
      for (const [name, flow] of second.queues)
        if (queue === undefined || queue === name)
          for (const [key, count] of flow) sums.set(key, (sums.get(key) ?? 0) + count / seconds)
    }
    return sums
  }

  /** Messages in each of the last `seconds` whole seconds that pass the test, the oldest first. */
  history(now: number, seconds: number, takes: (transition: string) => boolean, queue?: string): number[] {
    const end = Math.floor(now / 1_000)
    const values = new Array<number>(seconds).fill(0)
    for (const second of this.#seconds) {
      const i = second.at - (end - seconds)
      if (i < 0 || i >= seconds) continue
      for (const [name, flow] of second.queues)
        if (queue === undefined || queue === name)
          for (const [key, count] of flow) if (takes(key)) values[i]! += count
    }
    return values
  }

  #change(queue: string, change: Partial<QueueCounts>): void {
    let counts = this.#queues.get(queue)
    if (counts === undefined) this.#queues.set(queue, (counts = {} as Record<keyof QueueCounts, number>))
    for (const [name, by] of Object.entries(change))
      counts[name as keyof QueueCounts] = (counts[name as keyof QueueCounts] ?? 0) + by
  }

  #second(now: number): Second {
    const at = Math.floor(now / 1_000)
    const last = this.#seconds.at(-1)
    if (last !== undefined && last.at >= at) return last
    const second: Second = { at, queues: new Map() }
    this.#seconds.push(second)
    while (this.#seconds[0]!.at < at - secondsMax) this.#seconds.shift()
    return second
  }

  #count(second: Second, queue: string, transitions: readonly TransitionCount[]): void {
    let flow = second.queues.get(queue)
    if (flow === undefined) second.queues.set(queue, (flow = new Map()))
    for (const { from, to, count } of transitions) {
      const key = `${from}→${to}`
      flow.set(key, (flow.get(key) ?? 0) + count)
    }
  }
}
