/** How much each part does. Changes are those of single messages: three a life. */
export interface AuditSizes {
  /** Changes that are read through, and how often. */
  readonly changes: number
  readonly rounds: number
  /** Changes of the log that is looked back into. */
  readonly longChanges: number
  /** Messages that an engine recovers. */
  readonly untouched: number
  readonly live: number
  /** Lives of a round alongside the auditor. */
  readonly besideLives: number
  /** Whether each who reads is measured also on its own. */
  readonly isEachReader: boolean
}

export const fullSizes: AuditSizes = {
  changes: 1_000_000,
  rounds: 5,
  longChanges: 10_000_000,
  untouched: 1_000_000,
  live: 100_000,
  besideLives: 500_000,
  isEachReader: true,
}

export const quickSizes: AuditSizes = {
  changes: 300_000,
  rounds: 5,
  longChanges: 1_000_000,
  untouched: 1_000_000,
  live: 100_000,
  besideLives: 400_000,
  isEachReader: false,
}
