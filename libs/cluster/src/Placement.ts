import type { KirokuError } from '@kiroku/protocol'
import type { NatsConnection } from '@nats-io/nats-core'
import type * as Effect from 'effect/Effect'
import type * as Scope from 'effect/Scope'
import type { ClusterStatus } from './clusterStatus.ts'

/** What the runner of a partition may ask about its ownership. */
export interface OwnershipLease {
  /**
   * Monotonic ms (`performance.now`) up to which it is known that nobody else could have taken the lock. An answer
   * that rests on no append may leave only within half of `ttlMs` after it.
   */
  readonly confirmedAtMs: () => number
  /** Age in ms at which a heartbeat counts as gone. */
  readonly ttlMs: number
}

/** Something that happened to the placement of this node, for its log. */
export interface PlacementEvent {
  /**
   * `acquired`: the partition starts here. `released`: it was handed over. `lost`: another node took the lock.
   * `restarted`: it failed and starts again. `trouble`: something is retried that should have worked.
   */
  readonly kind: 'acquired' | 'released' | 'lost' | 'restarted' | 'trouble'
  /** Undefined where it concerns the whole node. */
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
  /** Replicas of the buckets, 1 by default; counts when they are created. */
  readonly replicas?: number
  /** Age in ms at which a node that no longer beats is dead to the others, 3000 by default; counts when the bucket is created. */
  readonly heartbeatTtlMs?: number
  /**
   * Runs while this node owns the partition, and releases everything when its scope closes (interruption means hand
   * over: drain). When it fails it is started again, after a pause and after the lock has been confirmed.
   */
  readonly run: (partition: number, lease: OwnershipLease) => Effect.Effect<never, unknown, Scope.Scope>
  readonly onEvent?: (event: PlacementEvent) => void
}

/** The part a node takes in the placement; it leaves when the scope closes. */
export interface Placement {
  readonly status: Effect.Effect<ClusterStatus, KirokuError>
}
