/** How much each part does. */
export interface FirstSizes {
  /** Rounds in which every system has its turn, and the messages of each turn. */
  readonly rounds: number
  readonly messages: number
  /** Rounds before those, which do not count: the processes still compile what they run, on the cores that messages need. */
  readonly warmUps: number
  /** Messages of each of these. */
  readonly warmUpMessages: number
  /** Starts of each command. */
  readonly starts: number
}

/** How often a lone message is sent: seldom enough that each one is alone. */
export const perSecond = 200

/** How often one is sent while the systems warm up: what a minute compiles at this pace would take five at the other. */
export const warmUpPerSecond = 1_000

export const fullSizes: FirstSizes = {
  rounds: 5,
  messages: 2_000,
  warmUps: 4,
  warmUpMessages: 10_000,
  starts: 15,
}

export const quickSizes: FirstSizes = { rounds: 1, messages: 400, warmUps: 1, warmUpMessages: 400, starts: 5 }
