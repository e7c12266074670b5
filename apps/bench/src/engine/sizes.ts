/** How much each part of the benchmark does. */
export interface Sizes {
  /** Rounds of a comparison, after one that only warms up. */
  readonly rounds: number
  /** Lives of one round, by side. */
  readonly lives: number
  readonly rawLives: number
  readonly atomicLives: number
  readonly queuesLives: number
  /** Single sends per round and side: enough that one garbage collection does not decide a round. */
  readonly sends: number
  readonly rawSends: number
  /** Single sends through the HTTP API of one round: one after the other, and several at a time. */
  readonly httpLone: number
  readonly httpSends: number
  /** Messages under a lease at the same time. */
  readonly held: number
  /** Messages whose memory is measured, and how often. */
  readonly remembered: number
  readonly memoryRounds: number
  /** Lives through one queue while memory and disk are watched. */
  readonly soak: number
}

/** Bytes of every body. */
export const bodyBytes = 128

export const fullSizes: Sizes = {
  rounds: 5,
  lives: 300_000,
  rawLives: 4_000,
  atomicLives: 40_000,
  queuesLives: 200_000,
  sends: 320_000,
  rawSends: 4_000,
  httpLone: 2_000,
  httpSends: 40_000,
  held: 1_000_000,
  remembered: 1_000_000,
  memoryRounds: 3,
  soak: 10_000_000,
}

export const quickSizes: Sizes = {
  rounds: 3,
  lives: 150_000,
  rawLives: 2_000,
  atomicLives: 20_000,
  queuesLives: 100_000,
  sends: 80_000,
  rawSends: 2_000,
  httpLone: 1_000,
  httpSends: 20_000,
  held: 100_000,
  remembered: 1_000_000,
  memoryRounds: 1,
  soak: 4_000_000,
}
