/** How much each part does. */
export interface FirstSizes {
  /** Rounds in which every system has its turn, and the messages of each turn. */
  readonly rounds: number
  readonly messages: number
  /** Rounds before those, which do not count: the processes still compile what they run. */
  readonly warmUps: number
  /** Starts of each command. */
  readonly starts: number
}

/** How often a lone message is sent: seldom enough that each one is alone. */
export const perSecond = 200

export const fullSizes: FirstSizes = { rounds: 5, messages: 2_000, warmUps: 4, starts: 15 }

export const quickSizes: FirstSizes = { rounds: 1, messages: 400, warmUps: 1, starts: 5 }
