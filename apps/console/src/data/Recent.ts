import type { History, HistoryBucket, TallyField } from '@kiroku/audit'

/** Seconds by their number. */
type Seconds = ReadonlyMap<number, HistoryBucket>

/**
 * What happened just before a feed began, second by second, according to the engine's record. Seconds are
 * whole ones of the reader's clock, which is `aheadMs` ahead of the engine's.
 */
export class Recent {
  readonly #all: Seconds
  readonly #queues: ReadonlyMap<string, Seconds>
  /** Seconds that are known: from the first one on, and before the other. */
  readonly #known: readonly [from: number, to: number]
  /** The part read from the record, by the engine's clock. */
  readonly reach: Pick<History, 'from' | 'now' | 'known'>

  constructor({ buckets, queues = [], known, from, now }: History, aheadMs: number) {
    const second = (at: number): number => Math.round((at + aheadMs) / 1_000)
    const secondsOf = (some: readonly HistoryBucket[]): Seconds =>
      new Map(some.map((bucket) => [second(bucket.at), bucket] as const))
    this.reach = { from, now, known }
    this.#all = secondsOf(buckets)
    this.#queues = new Map(queues.map(({ queue, buckets: own }) => [queue, secondsOf(own)] as const))
    this.#known = [second(Math.max(from, known.from)), Math.floor((known.to + aheadMs) / 1_000)]
  }

  /**
   * Whether it reaches up to a time of the reader's clock, in ms, so that a feed that began then can continue
   * from it.
   */
  covers(since: number): boolean {
    return this.#known[1] >= Math.ceil(since / 1_000)
  }

  /**
   * Fills what a feed does not know of the whole seconds before `now`, in ms: one value per second, oldest
   * first. For one queue, if named and counted per queue.
   */
  fill(
    values: readonly (number | undefined)[],
    now: number,
    fields: readonly TallyField[],
    queue?: string,
  ): (number | undefined)[] {
    const begin = Math.floor(now / 1_000) - values.length
    const [from, to] = this.#known
    const seconds = queue === undefined ? this.#all : (this.#queues.get(queue) ?? none)
    return values.map((value, i) => {
      const at = begin + i
      if (value !== undefined || at < from || at >= to) return value
      const bucket = seconds.get(at)
      return fields.reduce((sum, field) => sum + (bucket?.[field] ?? 0), 0)
    })
  }
}

const none: Seconds = new Map()
