/** How much each part does. */
export interface ConsoleSizes {
  /** Loads of the first screen. */
  readonly loads: number
  /** How long the machine's page is watched, under each load, in s. */
  readonly watchedSeconds: number
  /** Changes of single messages in the log that is travelled in: three a life. */
  readonly longChanges: number
  /** Positions that the slider is put to, and steps that are taken from the last. */
  readonly positions: number
  readonly steps: number
  /** Rounds with the console open on one of two engines and on the other, lives that each does, and in how many turns. */
  readonly rounds: number
  readonly besideLives: number
  readonly turns: number
}

export const fullSizes: ConsoleSizes = {
  loads: 7,
  watchedSeconds: 20,
  longChanges: 10_000_000,
  positions: 20,
  steps: 30,
  rounds: 7,
  besideLives: 1_600_000,
  turns: 16,
}

export const quickSizes: ConsoleSizes = {
  loads: 3,
  watchedSeconds: 4,
  longChanges: 1_000_000,
  positions: 8,
  steps: 10,
  rounds: 3,
  besideLives: 100_000,
  turns: 2,
}
