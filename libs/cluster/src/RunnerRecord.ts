import type { ProcessIdentity } from './ProcessIdentity.ts'

/** What a node runs, so that others know what it can read. */
export interface NodeBuild {
  /** Version of its package. */
  readonly version: string
  /** The highest feature level that it reads and writes. */
  readonly featureLevel: number
}

/** A partition that a node cannot read, because a newer version wrote to its log. */
export interface RefusedPartition {
  readonly partition: number
  readonly reason: string
}

/** What a node writes under its heartbeat key. */
export interface RunnerRecord extends ProcessIdentity, Partial<NodeBuild> {
  /** Random, new for every process: two lives of one machine are two runners. */
  readonly address: string
  /** How many partitions the log has, for `cluster status`. */
  readonly partitions: number
  readonly startedAt: string
  /** It is handing its partitions over: it takes no more, but keeps what it holds until it releases it. */
  readonly leaving: boolean
  /** The first partition that it found it cannot read: it steps aside for nodes of a newer version. */
  readonly refused?: RefusedPartition
  /** Its share of the partitions, relative to the others'. Missing in nodes of a version that placed by a ring. */
  readonly weight?: number
  /** Where it stands, like a rack or a data centre; empty: it does not say. Missing in nodes of a version that knows neither zones nor pins. */
  readonly zone?: string
  /**
   * The partitions of others that it has loaded and follows, and the last sequence that it has read of each. Missing: it is no
   * standby, by its setting or its version.
   */
  readonly standby?: Readonly<Record<number, number>>
}

/** Name of the bucket with the heartbeats of a log. */
export const runnersBucket = (log: string): string => `KIROKU_${log}_RUNNERS`
