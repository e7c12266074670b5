import type { Answering, Asker, Filter, MatchingAct, MessageBody, SettledPiece, Trace } from '@kiroku/audit'
import type { Client } from '@kiroku/client'
import type { MetricFamily } from '@kiroku/doors'
import type { FeedSource } from '@kiroku/feed'
import type { Actor, Grants, KirokuError, PartitionDescription, QueueDescription } from '@kiroku/protocol'
import type { Cluster } from './answers.ts'

/** Which messages are meant, and where to continue. */
export interface MatchingQuestion {
  readonly filter: Filter
  readonly isDryRun: boolean
  /** Only in queues that these name; absent: in all. */
  readonly grants?: Grants
  readonly cursor?: string
}

/**
 * Acts on the messages that match a filter, a batch at a time. Errors: `InvalidArgument` (the cursor),
 * `NoAuditor`.
 */
export type SettleMatching = (
  act: MatchingAct,
  asked: MatchingQuestion,
  by: Actor,
  signal: AbortSignal,
) => Promise<SettledPiece & { readonly cursor?: string }>

/** What is served. */
interface About {
  readonly log: string
  readonly incarnation: string
  readonly partitions: number
  /** Version of Kiroku. */
  readonly version: string
  /** When this process began to serve, in ms since 1970. */
  readonly startedAt: number
  /** The process that serves. */
  readonly pid: number
  /** Its data folder. */
  readonly folder: string
}

/** What the API is built on. */
export interface ApiDependencies {
  readonly about: About
  readonly client: Client
  /** Answers questions about the record, to each who asks from its own share. */
  readonly record: (asker: Asker) => Answering
  /** The body of a message, by its trace. Errors: `LogDamaged`, `KeysUnavailable`. */
  readonly body: (trace: Trace) => Promise<MessageBody>
  /** The live feed of counts. */
  readonly feed: FeedSource
  readonly settleMatching: SettleMatching
  /** Nodes and partitions. */
  readonly clusterStatus: () => Promise<Cluster>
  /** Puts the feature level of the nodes in force. Errors: `NotFinalized`, `Unavailable`. */
  readonly finalizeCluster: (by: Actor) => Promise<{
    readonly clusterVersion: number
    readonly raised: readonly number[]
  }>
  /** Metrics that only the process around the API knows: the engine's counters and timings. */
  readonly metrics: () => readonly MetricFamily[]
  /** What this process owns, from its memory: its metrics are of that, so that a sum over nodes counts everything once. */
  readonly owned: () => Promise<{
    readonly partitions: readonly PartitionDescription[]
    /** As the partitions have them: each part of a spread queue by itself. */
    readonly queues: readonly QueueDescription[]
  }>
  /** Why this process cannot serve; undefined: it can. Takes a second at most. */
  readonly notReady: () => Promise<string | undefined>
  /** Why NATS does not store now; undefined: it does, as far as is known. Takes a second at most. */
  readonly outage: () => Promise<KirokuError | undefined>
  /** A warning for operators although it serves. */
  readonly warnings: () => readonly string[]
}
