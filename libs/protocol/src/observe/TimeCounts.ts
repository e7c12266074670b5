/** How long something took, by how many messages. */
export interface TimeFigures {
  /** Messages that were measured. */
  readonly count: number
  /** Half of the messages took at most this long, in ms; up to 15 ms exact, beyond that up to an eighth too much. */
  readonly p50Ms: number
  /** 99 of 100 messages. */
  readonly p99Ms: number
  /** Pairs of the number of a bucket and the messages in it, by which the figures of several partitions become one. */
  readonly buckets: readonly number[]
}

const longestMs = 2 ** 31 - 1
/** Buckets that split each doubling of the time. */
const parts = 8

/** How many buckets there are. */
export const timeBuckets = 232

/** The bucket of a time in ms: each whole ms up to 15 has its own, what is longer one that is an eighth of a doubling wide. */
export const timeBucket = (ms: number): number => {
  const whole = Math.max(0, Math.min(ms, longestMs)) | 0
  if (whole < parts) return whole
  const exponent = 31 - Math.clz32(whole)
  return parts * (exponent - 2) + ((whole >>> (exponent - 3)) & (parts - 1))
}

/** The longest time in a bucket, in ms. */
const longestIn = (bucket: number): number => {
  if (bucket < 2 * parts) return bucket
  const exponent = Math.floor(bucket / parts) + 2
  return (parts + (bucket % parts) + 1) * 2 ** (exponent - 3) - 1
}

/** Buckets that come and go together. */
const window = 16

/** Counts messages by how long something took: most things take similarly long, so it holds few of the buckets. */
export class TimeCounts {
  /** Messages in buckets that follow each other, and the first of these. */
  #counts: Uint32Array = none
  #from = 0

  /** Counts messages that took `ms`. */
  note(ms: number, messages: number): void {
    this.noteIn(timeBucket(ms), messages)
  }

  /** Counts messages in a bucket; a number beyond the last bucket counts as the last. */
  noteIn(number: number, messages: number): void {
    if (messages === 0) return
    const bucket = Math.min(number, timeBuckets - 1)
    if (bucket < this.#from || bucket >= this.#end) this.#widen(bucket)
    this.#counts[bucket - this.#from]! += messages
  }

  clear(): void {
    this.#counts.fill(0)
  }

  /** What several counts say together; undefined where nothing was measured. */
  static figures(all: readonly TimeCounts[]): TimeFigures | undefined {
    let first = timeBuckets
    let end = 0
    for (const counts of all) {
      if (counts.#counts.length === 0) continue
      first = Math.min(first, counts.#from)
      end = Math.max(end, counts.#end)
    }
    const buckets: number[] = []
    let total = 0
    for (let b = first; b < end; b++) {
      let messages = 0
      for (const counts of all) messages += counts.#counts[b - counts.#from] ?? 0
      if (messages === 0) continue
      buckets.push(b, messages)
      total += messages
    }
    if (total === 0) return undefined
    return {
      count: total,
      p50Ms: quantile(buckets, total * 0.5),
      p99Ms: quantile(buckets, total * 0.99),
      buckets,
    }
  }

  get #end(): number {
    return this.#from + this.#counts.length
  }

  #widen(bucket: number): void {
    const counts = this.#counts
    const below = Math.floor(bucket / window) * window
    const from = counts.length === 0 ? below : Math.min(below, this.#from)
    const wider = new Uint32Array(Math.max(below + window, this.#end) - from)
    wider.set(counts, counts.length === 0 ? 0 : this.#from - from)
    this.#counts = wider
    this.#from = from
  }
}

const none = new Uint32Array()

const quantile = (buckets: readonly number[], rank: number): number => {
  let seen = 0
  for (let i = 0; i < buckets.length; i += 2) {
    seen += buckets[i + 1]!
    if (seen >= rank) return longestIn(buckets[i]!)
  }
  return 0
}
