/** How much is asked, and by which chance. */
interface FuzzOptions {
  readonly requests: number
  readonly seed: number
  /** Told what was found, in words, and how far the run is. */
  readonly tell: (line: string) => void
}

/** What a run found. All but `requests` should be 0. */
export interface FuzzResult {
  readonly requests: number
  /** Answers that blame the server or are none of its own, lines of errors in its log, its end. */
  readonly serverErrors: number
  /** Requests that were neither answered nor refused in time. */
  readonly hangs: number
  /** Acknowledged messages that were not there afterwards. */
  readonly lost: number
}

/** A door under fire, with an engine of its own. */
export type Fuzz = (options: FuzzOptions) => Promise<FuzzResult>
