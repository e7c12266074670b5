import * as Cause from 'effect/Cause'
import * as Clock from 'effect/Clock'
import * as Context from 'effect/Context'
import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'
import * as Layer from 'effect/Layer'
import * as Logger from 'effect/Logger'
import * as Option from 'effect/Option'
import * as Scope from 'effect/Scope'
import * as EntityId from 'effect/cluster/EntityId'
import * as MessageStorage from 'effect/cluster/MessageStorage'
import * as RunnerHealth from 'effect/cluster/RunnerHealth'
import * as Runners from 'effect/cluster/Runners'
import * as RunnerStorage from 'effect/cluster/RunnerStorage'
import * as Sharding from 'effect/cluster/Sharding'
import * as ShardingConfig from 'effect/cluster/ShardingConfig'
import { joinDebounceMs, lockCheckMs, membershipPollMs } from '../ClusterLimits.ts'
import { runnerAddress, shardGroup, storageOf, type ShardStore } from './ShardStore.ts'
import { onItsClock, shardingClock } from './shardingClock.ts'

/** Settings of {@link runSharding}. */
export interface ShardingOptions {
  /** This node's address. */
  readonly address: string
  readonly partitions: number
  readonly store: ShardStore
  /** Runs while this node holds the partition's shard. */
  readonly run: (partition: number) => Effect.Effect<never>
  /** Gets what Sharding itself would have logged. */
  readonly onTrouble: (reason: string) => void
}

/** A name whose hash is the partition's own shard: names left to chance leave nodes idle. */
const singletonName = (sharding: Sharding.Sharding['Service'], partition: number): string => {
  for (let salt = 0; ; salt++) {
    const name = `partition-${partition}-${salt}`
    if (sharding.getShardId(EntityId.make(name), shardGroup).id === partition + 1) return name
  }
}

/** What Sharding logs whenever there is no node to assign shards to. */
const nobodyIsThere = 'No healthy runners available'

const troubleLogger = ({ onTrouble, store }: ShardingOptions) =>
  Logger.make<unknown, void>(({ message, cause, logLevel }) => {
    if (logLevel !== 'Warn' && logLevel !== 'Error' && logLevel !== 'Fatal') return
    const text = Array.isArray(message) ? message.map(String).join(' ') : String(message)
    // The last node to leave finds no other, as expected.
    if (text === nobodyIsThere && store.isLeaving()) return
    onTrouble(cause.reasons.length === 0 ? text : `${text}: ${String(Cause.squash(cause))}`)
  })

/**
 * Takes part in effect/cluster's Sharding with one shard and one singleton per partition. When the scope
 * closes, every partition is interrupted and its lock released as soon as that partition has stopped.
 */
export const runSharding = Effect.fnUntraced(function* (options: ShardingOptions) {
  const config = ShardingConfig.layer({
    runnerAddress: Option.some(runnerAddress(options.address)),
    shardsPerGroup: options.partitions,
    availableShardGroups: [shardGroup],
    assignedShardGroups: [shardGroup],
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
  // Two scopes: ending a registration stops the singletons one after the other and keeps the locks; ending
  // Sharding stops all at once and releases each lock on its own.
  const shardingScope = yield* Scope.make()
  const registrations = yield* Scope.make()
  yield* Effect.addFinalizer(() =>
    Effect.andThen(Scope.close(shardingScope, Exit.void), Scope.close(registrations, Exit.void)),
  )
  const services = yield* Effect.provideService(
    Layer.buildWithScope(layer, shardingScope),
    Clock.Clock,
    shardingClock(clock),
  )
  const sharding = Context.get(services, Sharding.Sharding)
  for (let partition = 0; partition < options.partitions; partition++) {
    // Sharding's own services must not reach the partition.
    const run = options
      .run(partition)
      .pipe(Effect.provideService(Logger.CurrentLoggers, loggers), Effect.provideService(Clock.Clock, clock))
    yield* Scope.provide(
      sharding.registerSingleton(singletonName(sharding, partition), run, { shardGroup }),
      registrations,
    )
  }
})
