import * as Effect from 'effect/Effect'
import { PersistenceError } from 'effect/cluster/ClusterError'
import * as Runner from 'effect/cluster/Runner'
import * as RunnerAddress from 'effect/cluster/RunnerAddress'
import * as RunnerStorage from 'effect/cluster/RunnerStorage'
import * as ShardId from 'effect/cluster/ShardId'
import { releaseRetryMs } from '../ClusterLimits.ts'
import { onItsClock } from './shardingClock.ts'

/** What Sharding reads and writes in the store, in terms of this library. */
export interface ShardStore {
  /** Addresses of the runners that partitions may be given to. */
  readonly candidates: () => Promise<ReadonlyArray<string>>
  /** Which of these get none for now. */
  readonly steppedAside: () => ReadonlySet<string>
  readonly join: () => Promise<void>
  readonly leave: () => Promise<void>
  /** Those of `partitions` whose lock this node now holds. */
  readonly acquire: (partitions: ReadonlyArray<number>, signal: AbortSignal) => Promise<ReadonlyArray<number>>
  /** Those of `partitions` whose lock is not known to be another node's. */
  readonly stillHeld: (partitions: ReadonlyArray<number>) => ReadonlyArray<number>
  readonly release: (partition: number) => Promise<void>
  readonly releaseAll: () => Promise<void>
  /** Whether this node is leaving, and no longer names itself. */
  readonly isLeaving: () => boolean
}

/** The one group that all shards are in. */
export const shardGroup = 'default'

/** The whole address is in the host: no node listens to another, so there is no port. */
export const runnerAddress = (address: string) => RunnerAddress.make(address, 0)

const shardIdOf = (partition: number) => ShardId.toString({ group: shardGroup, id: partition + 1 })
const partitionOf = (shardId: string) => ShardId.fromStringEncoded(shardId).id - 1

const stored = <A>(operation: (signal: AbortSignal) => Promise<A>) =>
  Effect.tryPromise({ try: operation, catch: (cause) => new PersistenceError({ cause }) })

/** The store as Sharding asks it. */
export const storageOf = (store: ShardStore) =>
  RunnerStorage.makeEncoded({
    getRunners: Effect.map(stored(store.candidates), (addresses) => {
      const aside = store.steppedAside()
      return addresses.map((address) => {
        const runner = Runner.make({ address: runnerAddress(address), groups: [shardGroup], weight: 1 })
        // A node that were left out would register itself again, without a pause.
        return [Runner.Runner.encodeSync(runner), !aside.has(address)] as const
      })
    }),
    // The machine id numbers messages between entities, which are not used.
    register: () => Effect.as(stored(store.join), 0),
    unregister: () => stored(store.leave),
    setRunnerHealth: () => Effect.void,
    acquire: (_, shardIds) =>
      Effect.map(
        stored((signal) => store.acquire(shardIds.map(partitionOf), signal)),
        (partitions) => partitions.map(shardIdOf),
      ),
    // From memory: a refresh that fails or is late would stop every partition of the node.
    refresh: (_, shardIds) => Effect.sync(() => store.stillHeld(shardIds.map(partitionOf)).map(shardIdOf)),
    // Sharding tries again nearly at once.
    release: (_, shardId) =>
      Effect.tapError(
        stored(() => store.release(partitionOf(shardId))),
        () => Effect.sleep(onItsClock(releaseRetryMs)),
      ),
    releaseAll: () => stored(store.releaseAll),
  })
