/** How much each part does. */
export interface ShapesSizes {
  /** Rounds in which every system has its turn. */
  readonly rounds: number
  /** Rounds before those, which do not count: how much of a turn each is to prepare. */
  readonly warmUps: readonly number[]
  /** How long a turn is to take, in ms; its messages are as many as were done in that time before. */
  readonly turnMs: number
  /** Messages of the first turn. */
  readonly messages: number
  /** Most bytes of all bodies of a turn. */
  readonly turnBytes: number
  /** Longest time of a measured limit, in ms. */
  readonly limitMs: number
  /** For how long messages are sent at a pace, and how many at most. */
  readonly pacedSeconds: number
  readonly pacedMessages: number
  /** How long an idle engine is watched. */
  readonly idleSeconds: number
  /** Waiting consumers and queues beside which it idles. */
  readonly idleConsumers: number
  readonly idleQueues: number
  /** Messages that wait, and those where ten times as many are asked for. */
  readonly waiting: number
  readonly waitingMany: number
  /** How often a server is killed beside them. */
  readonly kills: number
}

/** Bytes of the bodies. */
export const bodySizes = [128, 1024, 16 * 1024, 256 * 1024] as const

/** Bytes of the bodies where their size is not the question. */
export const bodyBytes = 128

/** Sends that are under way at once. */
export const window = 500

/** A body size as people say it. */
export const sizeName = (bytes: number): string => (bytes < 1024 ? `${bytes} B` : `${bytes / 1024} KB`)

export const fullSizes: ShapesSizes = {
  rounds: 5,
  warmUps: [0.1, 0.4, 1],
  turnMs: 1_500,
  messages: 500,
  turnBytes: 200_000_000,
  limitMs: 1_500,
  pacedSeconds: 8,
  pacedMessages: 20_000,
  idleSeconds: 20,
  idleConsumers: 1_000,
  idleQueues: 10_000,
  waiting: 1_000_000,
  waitingMany: 10_000_000,
  kills: 3,
}

export const quickSizes: ShapesSizes = {
  rounds: 1,
  warmUps: [0.5, 1],
  turnMs: 200,
  messages: 200,
  turnBytes: 8_000_000,
  limitMs: 100,
  pacedSeconds: 0.3,
  pacedMessages: 1_000,
  idleSeconds: 2,
  idleConsumers: 100,
  idleQueues: 1_000,
  waiting: 3_000,
  waitingMany: 30_000,
  kills: 1,
}
