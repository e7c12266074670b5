import type { Actor } from '../event/Actor.ts'
import type { GroupDescription, QueueDescription } from '../observe/QueueDescription.ts'
import type { PartitionDescription } from '../observe/PartitionDescription.ts'
import type { PartitionUpdate } from '../observe/PartitionUpdate.ts'
import { actor, flag, number, optional, queue, record, shape, text, type Shapes } from './shape.ts'

/** Which names of queues to list. */
export interface NamesPage {
  /** The most names. */
  readonly max: number
  readonly prefix?: string
  /** Only names behind this one. */
  readonly after?: string
  /** Only queues that name this dead-letter queue, themselves or with a subscription. */
  readonly deadLetter?: string
}

/** Which queues to list, in the order of their names. */
export interface QueuesPage extends NamesPage {
  /** Describes them, and parts of spread queues among them, rather than only naming them. */
  readonly described?: boolean
}

/** Describing and following. */
export type ObserveCommand =
  | { type: 'DescribeQueue'; queue: string }
  /** Without a page: describes all queues, which nodes of versions without pages always do. */
  | { type: 'ListQueues'; page?: QueuesPage }
  | { type: 'DescribeGroups'; queue: string; subscription?: string; max?: number }
  | { type: 'DescribePartition' }
  /** Says which clock is right where the store's and the owner's disagree; the engine's own to decide. */
  | { type: 'ConfirmClock'; clock: 'store' | 'node'; by: Actor }
  /** Puts a feature level in force, which every node reads. */
  | { type: 'RaiseClusterVersion'; version: number; by: Actor }
  /** What happened to the queues behind the record `since`, which this follower was told last; 0: how they stand. */
  | { type: 'FollowPartition'; follower: string; since: number }

/** Answers by command type. */
export interface ObserveAnswers {
  DescribeQueue: QueueDescription
  ListQueues: {
    readonly queues: readonly QueueDescription[]
    /** What a page was asked for: in order; without the parts of spread queues, unless they are described. */
    readonly names?: readonly string[]
  }
  DescribeGroups: { readonly groups: readonly GroupDescription[]; readonly total: number }
  DescribePartition: PartitionDescription
  /** By how much partition time was moved on; 0 also where no clocks disagree. */
  ConfirmClock: { readonly steppedMs: number }
  /** The level in force now, and whether this raised it. */
  RaiseClusterVersion: { readonly clusterVersion: number; readonly raised: boolean }
  FollowPartition: PartitionUpdate
}

/** What each of these commands must hold; ranges and meaning are the partition's to check. */
export const observeShapes: Shapes<ObserveCommand> = {
  DescribeQueue: shape(queue),
  ListQueues: shape({
    page: optional(
      shape({
        max: number,
        prefix: optional(text),
        after: optional(text),
        deadLetter: optional(text),
        described: optional(flag),
      }),
    ),
  }),
  DescribeGroups: shape({ ...queue, subscription: optional(text), max: optional(number) }),
  DescribePartition: record,
  ConfirmClock: shape({ clock: text, by: actor }),
  RaiseClusterVersion: shape({ version: number, by: actor }),
  FollowPartition: shape({ follower: text, since: number }),
}
