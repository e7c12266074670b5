import type { ProcessIdentity } from './ProcessIdentity.ts'

/** What a node writes under its heartbeat key. */
export interface RunnerRecord extends ProcessIdentity {
  /** Random, new for every process: two lives of one machine are two runners. */
  readonly address: string
  /** How many partitions the log has, for `cluster status`. */
  readonly partitions: number
  readonly startedAt: string
  /** It is handing its partitions over: it takes no more, but keeps what it holds until it releases it. */
  readonly leaving: boolean
  /** Its share of the partitions, relative to the others'. Missing in nodes of a version that placed by a ring. */
  readonly weight?: number
}

/** Name of the bucket with the heartbeats of a log. */
export const runnersBucket = (log: string): string => `KIROKU_${log}_RUNNERS`
