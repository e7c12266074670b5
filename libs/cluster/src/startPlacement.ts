import { randomBytes } from 'node:crypto'
import { isKirokuError, KirokuError } from '@kiroku/protocol'
import * as Effect from 'effect/Effect'
import type * as Scope from 'effect/Scope'
import { beatsPerTtl, heartbeatTtlMsDefault, heartbeatTtlMsMin, sweepMs } from './ClusterLimits.ts'
import { KvBucket } from './KvBucket.ts'
import { Membership } from './Membership.ts'
import { locksBucket, type PartitionLock } from './PartitionLock.ts'
import { PartitionLocks } from './PartitionLocks.ts'
import type { Placement, PlacementEvent, PlacementOptions } from './Placement.ts'
import { processIdentity, type ProcessIdentity } from './ProcessIdentity.ts'
import { type RunnerRecord, runnersBucket } from './RunnerRecord.ts'
import { clusterStatus } from './clusterStatus.ts'
import { runSharding } from './internal/EffectCluster.ts'
import { supervisePartition } from './supervisePartition.ts'

const asKirokuError = (error: unknown): KirokuError =>
  isKirokuError(error) ? error : new KirokuError('Internal', String(error), { cause: error })

const attempt = <A>(operation: () => Promise<A>) =>
  Effect.tryPromise({ try: operation, catch: asKirokuError })

const check = (options: PlacementOptions, heartbeatTtlMs: number): KirokuError | undefined => {
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(options.log))
    return new KirokuError('InvalidArgument', `${JSON.stringify(options.log)} cannot name a log.`)
  if (!Number.isSafeInteger(options.partitions) || options.partitions < 1)
    return new KirokuError('InvalidArgument', `A log cannot have ${options.partitions} partitions.`)
  if (heartbeatTtlMs < heartbeatTtlMsMin)
    return new KirokuError(
      'InvalidArgument',
      `heartbeatTtlMs is ${heartbeatTtlMs}, below ${heartbeatTtlMsMin}.`,
    )
  return undefined
}

/** {@link placement} of the process that `identity` describes. */
export const startPlacement = (
  options: PlacementOptions,
  identity: ProcessIdentity,
): Effect.Effect<Placement, KirokuError, Scope.Scope> =>
  Effect.gen(function* () {
    const { nc, log, partitions } = options
    const replicas = options.replicas ?? 1
    const heartbeatTtlMs = options.heartbeatTtlMs ?? heartbeatTtlMsDefault
    const wrong = check(options, heartbeatTtlMs)
    if (wrong !== undefined) return yield* Effect.fail(wrong)

    const emit = (kind: PlacementEvent['kind'], partition: number | undefined, reason: string) =>
      options.onEvent?.({ kind, partition, reason })

    const [runners, lockBucket] = yield* attempt(() =>
      Promise.all([
        KvBucket.create<RunnerRecord>(nc, runnersBucket(log), { ttlMs: heartbeatTtlMs, replicas }),
        KvBucket.create<PartitionLock>(nc, locksBucket(log), { ttlMs: 0, replicas }),
      ]),
    )
    const { ttlMs } = runners
    const self: RunnerRecord = {
      ...identity,
      ...options.build,
      address: randomBytes(6).toString('hex'),
      partitions,
      startedAt: new Date().toISOString(),
      leaving: false,
    }
    const membership = new Membership(runners.bucket, self, ttlMs)
    const locks = new PartitionLocks(lockBucket.bucket, membership)

    yield* Effect.addFinalizer(() => Effect.ignore(Effect.tryPromise(() => membership.signOff())))

    const beat = Effect.tryPromise(async () => {
      await membership.beat()
      await locks.confirmAll()
    }).pipe(
      Effect.catch((error) =>
        Effect.sync(() => emit('trouble', undefined, `heartbeat: ${String(error.cause)}`)),
      ),
      Effect.andThen(Effect.sleep(ttlMs / beatsPerTtl)),
    )
    yield* Effect.forkScoped(Effect.forever(beat))

    const sweep = Effect.andThen(
      Effect.sleep(sweepMs),
      Effect.ignore(Effect.tryPromise(() => locks.sweep(partitions))),
    )
    yield* Effect.forkScoped(Effect.forever(sweep))

    yield* runSharding({
      address: self.address,
      partitions,
      store: {
        candidates: () => membership.candidates(),
        steppedAside: () => membership.steppedAside(),
        join: () => membership.join(),
        leave: () => membership.leave(),
        acquire: (wanted, signal) => locks.acquire(wanted, signal),
        stillHeld: (held) => locks.stillHeld(held),
        release: (partition) => locks.release(partition),
        releaseAll: () => locks.releaseAll(),
        isLeaving: () => membership.isLeaving,
      },
      run: (partition) =>
        supervisePartition({
          partition,
          locks,
          lease: {
            confirmedAtMs: () => locks.confirmedAtMs(partition),
            ttlMs,
            refuse: (reason) => {
              emit('refused', partition, reason)
              membership.refuse({ partition, reason })
            },
          },
          run: options.run,
          emit: (kind, reason) => emit(kind, partition, reason),
          releaseReason: () => (membership.isLeaving ? 'this node stops' : 'it falls to another node'),
        }),
      onTrouble: (reason) => emit('trouble', undefined, reason),
    })

    return { status: attempt(() => clusterStatus(nc, log)), beatAtMs: () => membership.beatAtMs }
  })

/**
 * Joins the nodes of a log and runs the partitions that fall to this one, until the scope closes: then each is
 * drained, given back, and the node signs off.
 *
 * @errors `InvalidArgument`, `NatsUnreachable`, `JetStreamDisabled`, `Timeout`
 */
export const placement = (options: PlacementOptions): Effect.Effect<Placement, KirokuError, Scope.Scope> =>
  startPlacement(options, processIdentity())
