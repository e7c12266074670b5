/** How much each part does. */
export interface SqsSizes {
  /**
   * Rounds in which every side has its turn, after one that only warms up. One differs from the next by up to a quarter, so they are
   * short and many: the median of 120 rounds of lives still moves by 0.012.
   */
  readonly rounds: number
  /** Of what takes long by itself: sends at an even pace, attributes beside many messages. */
  readonly longRounds: number
  readonly liveRounds: number
  /** Single sends of a round, messages of a round that go in batches, and messages that are received and deleted. */
  readonly sends: number
  readonly batched: number
  readonly received: number
  /** Sends at an even pace, whose times are measured. */
  readonly paced: number
  /**
   * Long polls that wait at once, for how long they are watched, in ms, and the sends that reach them: for three times their wait, so
   * that a collection weighs as much as it does among many.
   */
  readonly polls: number
  readonly watchMs: number
  readonly reached: number
  /** Messages beside which attributes are asked for, and how often. */
  readonly touched: number
  readonly asked: number
  /** Lives of a round. */
  readonly lives: number
}

/** Connections of the load, each with one request at a time. */
export const connections = 64

/** Queues that long polls wait on. */
export const polledQueues = 100

export const fullSizes: SqsSizes = {
  rounds: 40,
  longRounds: 10,
  liveRounds: 120,
  sends: 5_000,
  batched: 15_000,
  received: 5_000,
  paced: 20_000,
  polls: 10_000,
  watchMs: 40_000,
  reached: 12_000,
  touched: 1_000_000,
  asked: 2_000,
  lives: 60_000,
}

export const quickSizes: SqsSizes = {
  rounds: 1,
  longRounds: 1,
  liveRounds: 1,
  sends: 5_000,
  batched: 10_000,
  received: 3_000,
  paced: 3_000,
  polls: 1_000,
  watchMs: 5_000,
  reached: 300,
  touched: 100_000,
  asked: 300,
  lives: 100_000,
}
