import type {
  Act,
  BatchCosts,
  DeadLetterGroup,
  History,
  LogMoment,
  LogSpan,
  MatchingAct,
  MessageBody,
  MomentDiff,
  QueueMoment,
  SettledPiece,
  Trace,
} from '@kiroku/audit'
import type { Client } from '@kiroku/client'
import type { MetricFamily } from '@kiroku/doors'
import type { FeedSource } from '@kiroku/feed'
import type { Actor, Ranges } from '@kiroku/protocol'
import type { Cluster, SearchResult } from './answers.ts'

/** What is asked of a moment, as it was written. */
export interface AskedState {
  readonly at?: string
  readonly states?: string
  readonly subscription?: string
  readonly where?: string
  readonly limit?: string
  readonly after?: string
}

/** Which moments are compared. */
export interface AskedDiff {
  readonly a: string
  readonly b?: string
  readonly limit?: string
}

/** When a whole log is looked at, as it was written. */
export interface AskedLog {
  readonly at?: string
}

/** Which stretch of the record is asked for, as it was written. */
export interface AskedRecording {
  readonly from?: string
  readonly partition?: string
  readonly frames?: string
  readonly work?: string
  /** `1`: with the state from which it begins. */
  readonly state?: string
}

/** Of which subscription the batches are compared; without one: of all. */
export interface AskedBatches {
  readonly subscription?: string
}

/** Of which queue it is asked how far one can look back; without one: of all. */
export interface AskedSpan {
  readonly queue?: string
}

/** Shows queues as they were, as JSON. Errors: `InvalidArgument`, `InvalidFilter`, `UnknownQueue`, `BeyondRecord`, `FutureMoment`. */
export interface LookSource {
  readonly stateAt: (queue: string, asked: AskedState) => Promise<QueueMoment>
  readonly diff: (queue: string, asked: AskedDiff) => Promise<MomentDiff>
  /** What batch settings cost, and what others would have. */
  readonly batches: (queue: string, asked: AskedBatches) => Promise<BatchCosts>
  /** All queues. */
  readonly logAt: (asked: AskedLog) => Promise<LogMoment>
  /** A stretch of the record for a replay in the browser, as `Replayer` of `@kiroku/audit/browser` takes it. */
  readonly recording: (queue: string, asked: AskedRecording) => Promise<Uint8Array>
  /** How far one can look back. */
  readonly span: (asked: AskedSpan) => Promise<LogSpan>
}

/** What is searched for, as it was written. */
interface AskedSearch {
  readonly q?: string
  readonly limit?: string
  readonly cursor?: string
}

/** Which acts are asked for, as it was written. */
interface AskedActs {
  readonly queue?: string
  readonly actor?: string
  readonly since?: string
  readonly until?: string
}

/** Which stretch of what happened is asked for, as it was written. */
export interface AskedHistory {
  readonly queue?: string
  readonly from?: string
  readonly to?: string
  readonly buckets?: string
  /** `queue`: each queue for itself too. */
  readonly by?: string
}

/** Finds messages and acts on record, as JSON. Errors: `InvalidFilter`, `InvalidArgument`, `NoAuditor`. */
export interface SearchSource {
  readonly messages: (asked: AskedSearch) => Promise<SearchResult>
  readonly acts: (asked: AskedActs) => Promise<{ readonly acts: readonly Act[] }>
  /** How much happened when. */
  readonly history: (asked: AskedHistory) => Promise<History>
}

/** Which dead letters are meant, as it was written; all that is given. */
export interface AskedLetters {
  readonly subscription?: string
  readonly group?: string
  readonly where?: string
  readonly messages?: readonly string[]
}

/** Of which subscription, and at which moment, it is asked what lies in a queue, as it was written. */
export interface AskedGroups {
  readonly subscription?: string
  readonly at?: string
}

/** Looks at dead letters. Errors: `UnknownQueue`, `UnknownSubscription`, `InvalidFilter`. */
export interface DeadLetterSource {
  /** What lies in a queue in groups of one kind, the largest first. */
  readonly list: (
    queue: string,
    asked: AskedGroups,
  ) => Promise<{ readonly count: number; readonly groups: readonly DeadLetterGroup[] }>
  /** Numbers of those that are meant, as ranges. */
  readonly select: (queue: string, asked: AskedLetters) => Promise<Ranges>
}

/** Which messages are meant, as it was written, and where to go on. */
interface AskedMatching {
  readonly where: string
  readonly dryRun?: boolean
  readonly cursor?: string
}

/** Acts on what a filter matches, a piece at a time. Errors: `InvalidFilter`, `InvalidArgument`, `NoAuditor`. */
export type MatchingSource = (
  act: MatchingAct,
  asked: AskedMatching,
  by: Actor,
) => Promise<SettledPiece & { readonly cursor?: string }>

/** What is served, for whoever asks. */
export interface About {
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

/** What the API stands on. */
export interface ApiDependencies {
  readonly about: About
  readonly client: Client
  /** Every event of one message, as JSON. Errors: `UnknownMessage`, `InvalidArgument`. */
  readonly trace: (messageId: string) => Promise<Trace>
  /** The body of a message, by its trace. Errors: `LogDamaged`, `KeysUnavailable`. */
  readonly body: (trace: Trace) => Promise<MessageBody>
  readonly look: LookSource
  /** What happens, as it happens. */
  readonly feed: FeedSource
  readonly search: SearchSource
  readonly deadLetters: DeadLetterSource
  readonly settleMatching: MatchingSource
  /** Nodes and partitions, as JSON. */
  readonly clusterStatus: () => Promise<Cluster>
  /** What only the process around the API knows: the engine's counters and timings. */
  readonly metrics: () => readonly MetricFamily[]
  /** Partitions that this process owns: their queues are in its metrics, so that a sum over nodes counts each once. */
  readonly ownedPartitions: () => ReadonlySet<number>
  /** Whether this process serves: undefined, or why not yet. */
  readonly notReady: () => string | undefined
  /** What operators should know although it serves. */
  readonly warnings: () => readonly string[]
}
