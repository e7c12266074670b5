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

/** How long messages of a queue took lately: since its owner took over, and for little more than a minute. */
export interface QueueTimes {
  /** From the send, delays included, to the first delivery. Absent: nothing was delivered. */
  readonly waiting?: TimeFigures
  /** From a delivery to its acknowledgement. Absent: nothing was acknowledged. */
  readonly processing?: TimeFigures
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

/** What counts by bucket say; undefined where nothing was measured. */
export const figuresOf = (counts: Uint32Array): TimeFigures | undefined => {
  const buckets: number[] = []
  let count = 0
  for (let b = 0; b < counts.length; b++) {
    if (counts[b] === 0) continue
    buckets.push(b, counts[b]!)
    count += counts[b]!
  }
  if (count === 0) return undefined
  return { count, p50Ms: quantile(buckets, count * 0.5), p99Ms: quantile(buckets, count * 0.99), buckets }
}

const quantile = (buckets: readonly number[], rank: number): number => {
  let seen = 0
  for (let i = 0; i < buckets.length; i += 2) {
    seen += buckets[i + 1]!
    if (seen >= rank) return longestIn(buckets[i]!)
  }
  return 0
}

/** Figures of several places as one; undefined where none has any. */
export const mergeFigures = (parts: readonly (TimeFigures | undefined)[]): TimeFigures | undefined => {
  const counts = new Uint32Array(timeBuckets)
  for (const { buckets } of parts.filter((part) => part !== undefined))
    for (let i = 0; i < buckets.length; i += 2) counts[buckets[i]!]! += buckets[i + 1]!
  return figuresOf(counts)
}

/** The times of a queue's parts as those of one queue; undefined where none has any. */
export const mergeTimes = (parts: readonly (QueueTimes | undefined)[]): QueueTimes | undefined =>
  timesOf(
    mergeFigures(parts.map((times) => times?.waiting)),
    mergeFigures(parts.map((times) => times?.processing)),
  )

/** Both kinds together; undefined where there is neither. */
export const timesOf = (
  waiting: TimeFigures | undefined,
  processing: TimeFigures | undefined,
): QueueTimes | undefined =>
  waiting === undefined && processing === undefined
    ? undefined
    : { ...(waiting === undefined ? {} : { waiting }), ...(processing === undefined ? {} : { processing }) }
