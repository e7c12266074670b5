import type { Client } from '@kiroku/client'
import type { MetricFamily } from './metrics/MetricFamily.ts'

/** What the API stands on. */
export interface ApiSources {
  readonly client: Client
  /** Every event of one message, as JSON. Errors: `UnknownMessage`, `InvalidArgument`. */
  readonly trace: (messageId: string) => Promise<unknown>
  /** Nodes and partitions, as JSON. */
  readonly clusterStatus: () => Promise<unknown>
  /** What only the process around the API knows: the engine's counters and timings. */
  readonly metrics: () => readonly MetricFamily[]
  /** Partitions that this process owns: their queues are in its metrics, so that a sum over nodes counts each once. */
  readonly ownedPartitions: () => ReadonlySet<number>
  /** Whether this process serves: undefined, or why not yet. */
  readonly notReady: () => string | undefined
}
