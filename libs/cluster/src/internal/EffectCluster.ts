import * as Cause from 'effect/Cause'
import * as Clock from 'effect/Clock'
import * as Context from 'effect/Context'
import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'
import * as Layer from 'effect/Layer'
import * as Logger from 'effect/Logger'
import * as Option from 'effect/Option'
import * as Scope from 'effect/Scope'
import { PersistenceError } from 'effect/cluster/ClusterError'
import * as EntityId from 'effect/cluster/EntityId'
import * as MessageStorage from 'effect/cluster/MessageStorage'
import * as Runner from 'effect/cluster/Runner'
import * as RunnerAddress from 'effect/cluster/RunnerAddress'
import * as RunnerHealth from 'effect/cluster/RunnerHealth'
import * as Runners from 'effect/cluster/Runners'
import * as RunnerStorage from 'effect/cluster/RunnerStorage'
import * as ShardId from 'effect/cluster/ShardId'
import * as Sharding from 'effect/cluster/Sharding'
import * as ShardingConfig from 'effect/cluster/ShardingConfig'
import { joinDebounceMs, lockCheckMs, membershipPollMs, releaseRetryMs } from '../ClusterLimits.ts'
import { scaledClock } from './scaledClock.ts'

/** What Sharding needs to know and do in the store, in our words. */
export interface ShardStore {
  /** Addresses of the runners that partitions may be given to. */
  readonly candidates: () => Promise<ReadonlyArray<string>>
  readonly join: () => Promise<void>
  readonly leave: () => Promise<void>
  /** Those of `partitions` whose lock is now ours. */
  readonly acquire: (partitions: ReadonlyArray<number>, signal: AbortSignal) => Promise<ReadonlyArray<number>>
  /** Those of `partitions` whose lock is not known to be another's. */
  readonly stillHeld: (partitions: ReadonlyArray<number>) => ReadonlyArray<number>
  readonly release: (partition: number) => Promise<void>
  readonly releaseAll: () => Promise<void>
  /** Whether this node is leaving, and names itself no more. */
  readonly isLeaving: () => boolean
}

/** Settings of {@link runSharding}. */
export interface ShardingOptions {
  /** This node's address. */
  readonly address: string
  readonly partitions: number
  readonly store: ShardStore
  /** Runs while the partition's shard is ours. */
  readonly run: (partition: number) => Effect.Effect<never>
  /** Told what Sharding itself would have logged. */
  readonly onTrouble: (reason: string) => void
}

const group = 'default'

/**
 * Sharding rests a fixed second after every attempt at locks, and a partition that falls to this node meanwhile has
 * no owner for as long. On its clock time runs faster, so that it rests 100 ms; the durations it is given are
 * lengthened to match.
 */
const clockFactor = 10
const onItsClock = (ms: number) => ms * clockFactor

/** The whole address is in the host: no node listens to another, so there is no port. */
const runnerAddress = (address: string) => RunnerAddress.make(address, 0)

const shardIdOf = (partition: number) => ShardId.toString({ group, id: partition + 1 })
const partitionOf = (shardId: string) => ShardId.fromStringEncoded(shardId).id - 1

const stored = <A>(operation: (signal: AbortSignal) => Promise<A>) =>
  Effect.tryPromise({ try: operation, catch: (cause) => new PersistenceError({ cause }) })

const storageOf = (store: ShardStore) =>
  RunnerStorage.makeEncoded({
    getRunners: Effect.map(stored(store.candidates), (addresses) =>
      addresses.map((address) => {
        const runner = Runner.make({ address: runnerAddress(address), groups: [group], weight: 1 })
        return [Runner.Runner.encodeSync(runner), true] as const
      }),
    ),
    // The machine id numbers messages between entities, of which there are none.
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

/** A name whose hash is the partition's own shard: names left to chance leave nodes idle. */
const singletonName = (sharding: Sharding.Sharding['Service'], partition: number): string => {
  for (let salt = 0; ; salt++) {
    const name = `partition-${partition}-${salt}`
    if (sharding.getShardId(EntityId.make(name), group).id === partition + 1) return name
  }
}

/** What Sharding logs whenever it reads that there is no node to give shards to. */
const nobodyIsThere = 'No healthy runners available'

const troubleLogger = ({ onTrouble, store }: ShardingOptions) =>
  Logger.make<unknown, void>(({ message, cause, logLevel }) => {
    if (logLevel !== 'Warn' && logLevel !== 'Error' && logLevel !== 'Fatal') return
    const text = Array.isArray(message) ? message.map(String).join(' ') : String(message)
    // The last node that leaves finds nobody, which is as it should be.
    if (text === nobodyIsThere && store.isLeaving()) return
    onTrouble(cause.reasons.length === 0 ? text : `${text}: ${String(Cause.squash(cause))}`)
  })

/**
 * Takes part in effect/cluster's Sharding with one shard and one singleton a partition. When the scope closes, every
 * partition is interrupted and its lock given back as soon as that partition has stopped.
 */
export const runSharding = Effect.fnUntraced(function* (options: ShardingOptions) {
  const config = ShardingConfig.layer({
    runnerAddress: Option.some(runnerAddress(options.address)),
    shardsPerGroup: options.partitions,
    availableShardGroups: [group],
    assignedShardGroups: [group],
    shardLockRefreshInterval: onItsClock(lockCheckMs),
    shardLockExpiration: onItsClock(lockCheckMs * 3),
    refreshAssignmentsInterval: onItsClock(membershipPollMs),
    runnerJoinDebounce: onItsClock(joinDebounceMs),
    // Also the pause after which the loops that move shards try again.
    entityMessagePollInterval: onItsClock(membershipPollMs),
    runnerHealthCheckInterval: '1 hour',
  })
  const layer = Sharding.layer.pipe(
    Layer.provide([
      Runners.layerNoop,
      RunnerHealth.layerNoop,
      Layer.succeed(RunnerStorage.RunnerStorage)(storageOf(options.store)),
    ]),
    Layer.provide([MessageStorage.layerNoop, config]),
    Layer.provide(Logger.layer([troubleLogger(options)])),
  )
  const loggers = yield* Logger.CurrentLoggers
  const clock = yield* Clock.Clock
  // Two scopes, because the end of a registration stops its singleton one after the other and keeps the lock; the
  // end of Sharding stops all at once and gives each lock back on its own.
  const shardingScope = yield* Scope.make()
  const registrations = yield* Scope.make()
  yield* Effect.addFinalizer(() =>
    Effect.andThen(Scope.close(shardingScope, Exit.void), Scope.close(registrations, Exit.void)),
  )
  const services = yield* Effect.provideService(
    Layer.buildWithScope(layer, shardingScope),
    Clock.Clock,
    scaledClock(clock, clockFactor),
  )
  const sharding = Context.get(services, Sharding.Sharding)
  for (let partition = 0; partition < options.partitions; partition++) {
    // What is Sharding's own must not reach the partition.
    const run = options
      .run(partition)
      .pipe(Effect.provideService(Logger.CurrentLoggers, loggers), Effect.provideService(Clock.Clock, clock))
    yield* Scope.provide(
      sharding.registerSingleton(singletonName(sharding, partition), run, { shardGroup: group }),
      registrations,
    )
  }
})
