import type { KirokuError } from '@kiroku/protocol'
import type { NatsConnection } from '@nats-io/nats-core'
import type * as Effect from 'effect/Effect'
import type * as Scope from 'effect/Scope'
import type { NodeBuild } from './RunnerRecord.ts'
import type { ClusterStatus } from './clusterStatus.ts'

/** What the runner of a partition knows about its ownership. */
export interface OwnershipLease {
  /**
   * Monotonic ms (`performance.now`) up to which no other node could have taken the lock. An answer that is
   * not backed by an append may leave only within half of `ttlMs` after it.
   */
  readonly confirmedAtMs: () => number
  /** Age in ms at which a heartbeat counts as gone. */
  readonly ttlMs: number
  /** Whether the node that takes the partition over has its state already, or nearly. */
  readonly isLoadedAhead: () => boolean
  /**
   * Says that this node cannot read the partition, because a newer version wrote to its log: if there is a node of a higher
   * feature level, all partitions of this one go to such nodes.
   */
  readonly refuse: (reason: string) => void
}

/** Something that happened to the placement of this node, for its log. */
export interface PlacementEvent {
  /**
   * `acquired`: the partition starts here. `released`: it was handed over. `lost`: another node took the lock.
   * `restarted`: it failed and starts again. `refused`: a newer version wrote to its log. `trouble`: a failed operation is retried, told
   * once while heartbeats fail. `recovered`: they are confirmed again.
   */
  readonly kind: 'acquired' | 'released' | 'lost' | 'restarted' | 'refused' | 'trouble' | 'recovered'
  /** Undefined for the whole node. */
  readonly partition: number | undefined
  readonly reason: string
}

/** Settings of {@link placement}. */
export interface PlacementOptions {
  readonly nc: NatsConnection
  /** Name of the log. */
  readonly log: string
  /** How many partitions the log has; the same on every node. */
  readonly partitions: number
  /** Replicas of the buckets, 1 by default; takes effect when they are created. */
  readonly replicas?: number
  /**
   * Age in ms of a heartbeat at which the others consider a node dead, 3000 by default. All nodes of a log have the same: the
   * first one's, until none of them runs.
   */
  readonly heartbeatTtlMs?: number
  /** What this node runs, for `cluster status` and for nodes of other versions. */
  readonly build?: NodeBuild
  /** This node's share of the partitions, relative to the others', 1 by default; 0 takes none as long as another can. */
  readonly weight?: number
  /** Where this node stands, like a rack or a data centre, so that standbys stand elsewhere; default: it does not say. */
  readonly zone?: string
  /**
   * Runs while this node owns the partition, and releases everything when its scope closes (interruption
   * means hand over: drain). When it fails it is restarted, after a pause and after the lock has been
   * confirmed.
   *
   * @param serving to be called once the partition answers: until then it counts as on its way, and others wait
   */
  readonly run: (
    partition: number,
    lease: OwnershipLease,
    serving: () => void,
  ) => Effect.Effect<never, unknown, Scope.Scope>
  /**
   * Gets ready for a partition that another node serves: one that it is about to hand over, which takes a few seconds until
   * this succeeds or fails, and one that this node is the standby of. Its scope closes when the partition answers here, or goes elsewhere.
   */
  readonly loadAhead?: (partition: number) => Effect.Effect<void, unknown, Scope.Scope>
  /** Called when the lock of a partition is about to be taken: what is needed then may be looked up meanwhile. */
  readonly taking?: (partition: number) => void
  /** The last sequence of a partition that is loaded ahead here; undefined: nothing is. Absent: this node is nobody's standby. */
  readonly reached?: (partition: number) => number | undefined
  readonly onEvent?: (event: PlacementEvent) => void
}

/** A node's participation in the placement; it leaves when the scope closes. */
export interface Placement {
  readonly status: Effect.Effect<ClusterStatus, KirokuError>
  /** Monotonic ms (`performance.now`) at which the last heartbeat that was stored was sent; `-Infinity` before that. */
  readonly beatAtMs: () => number
  /** Age in ms at which a heartbeat counts as gone, as the nodes of the log have it. */
  readonly ttlMs: number
}
