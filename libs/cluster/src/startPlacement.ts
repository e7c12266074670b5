import { randomBytes } from 'node:crypto'
import { isKirokuError, isLogName, KirokuError, logNameRule } from '@kiroku/protocol'
import * as Effect from 'effect/Effect'
import * as Fiber from 'effect/Fiber'
import type * as Scope from 'effect/Scope'
import { clusterTimes, heartbeatTtlMsMax, heartbeatTtlMsMin, weightMax } from './ClusterLimits.ts'
import { AheadNotes } from './AheadNotes.ts'
import { agreedTtlMs } from './agreedTtlMs.ts'
import { KvBucket } from './KvBucket.ts'
import { KvWatch } from './KvWatch.ts'
import { Membership } from './Membership.ts'
import { locksBucket, type PartitionLock } from './PartitionLock.ts'
import { PartitionLocks } from './PartitionLocks.ts'
import { Pins } from './Pins.ts'
import type { Placement, PlacementEvent, PlacementOptions } from './Placement.ts'
import { Placer } from './Placer.ts'
import { processIdentity, type ProcessIdentity } from './ProcessIdentity.ts'
import { type RunnerRecord, runnersBucket } from './RunnerRecord.ts'
import { clusterStatus } from './clusterStatus.ts'
import { supervisePartition } from './supervisePartition.ts'

const asKirokuError = (error: unknown): KirokuError =>
  isKirokuError(error) ? error : new KirokuError('Internal', String(error), { cause: error })

const attempt = <A>(operation: () => Promise<A>) =>
  Effect.tryPromise({ try: operation, catch: asKirokuError })

const check = (options: PlacementOptions): KirokuError | undefined => {
  if (!isLogName(options.log))
    return new KirokuError('InvalidArgument', `log ${JSON.stringify(options.log)}: ${logNameRule}`)
  if (!Number.isSafeInteger(options.partitions) || options.partitions < 1)
    return new KirokuError('InvalidArgument', `A log cannot have ${options.partitions} partitions.`)
  const { heartbeatTtlMs: ttlMs = heartbeatTtlMsMin, weight = 1 } = options
  if (!Number.isSafeInteger(weight) || weight < 0 || weight > weightMax)
    return new KirokuError('InvalidArgument', `weight is ${weight}, not from 0 to ${weightMax}.`)
  if (!/^[A-Za-z0-9._-]{0,64}$/.test(options.zone ?? ''))
    return new KirokuError(
      'InvalidArgument',
      `${JSON.stringify(options.zone)} cannot name a zone: it takes up to 64 letters, digits, dots, dashes and underscores.`,
    )
  if (!Number.isSafeInteger(ttlMs) || ttlMs < heartbeatTtlMsMin || ttlMs > heartbeatTtlMsMax)
    return new KirokuError(
      'InvalidArgument',
      `heartbeatTtlMs is ${ttlMs}, not from ${heartbeatTtlMsMin} to ${heartbeatTtlMsMax}.`,
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
    const wrong = check(options)
    if (wrong !== undefined) return yield* Effect.fail(wrong)

    const emit = (kind: PlacementEvent['kind'], partition: number | undefined, reason: string) =>
      options.onEvent?.({ kind, partition, reason })

    const ttlMs = yield* attempt(() => agreedTtlMs(nc, log, options.heartbeatTtlMs))
    if (ttlMs !== (options.heartbeatTtlMs ?? ttlMs))
      emit('trouble', undefined, `nodes of this log count as dead after ${ttlMs} ms, as its first one said`)
    const times = clusterTimes(ttlMs)
    const [runners, lockBucket] = yield* attempt(() =>
      Promise.all([
        KvBucket.create<RunnerRecord>(nc, runnersBucket(log), { ttlMs, replicas }, times.requestMs),
        KvBucket.create<PartitionLock>(nc, locksBucket(log), { ttlMs: 0, replicas }, times.requestMs),
      ]),
    )
    const self: RunnerRecord = {
      ...identity,
      ...options.build,
      address: randomBytes(6).toString('hex'),
      partitions,
      startedAt: new Date().toISOString(),
      leaving: false,
      weight: options.weight ?? 1,
      zone: options.zone ?? '',
    }
    /** The partitions that are loaded ahead here. */
    const ahead = new Set<number>()
    const { reached } = options
    const standby =
      reached === undefined
        ? undefined
        : () =>
            Object.fromEntries(
              [...ahead].flatMap((partition) => {
                const seq = reached(partition)
                return seq === undefined ? [] : [[partition, seq]]
              }),
            )
    const membership = new Membership(runners, self, times, standby)
    const locks = new PartitionLocks(lockBucket, membership)
    const notes = new AheadNotes(lockBucket, self.address)
    /** Every operation and partition meets the same error, again and again: while heartbeats fail, each error is told once. */
    const told = new Set<string>()
    const onTrouble = (error: unknown, what?: string) => {
      const why = String(error)
      if (told.has(why)) return
      told.add(why)
      emit('trouble', undefined, what === undefined ? why : `${what}: ${why}`)
    }
    const pins = new Pins(nc, log, onTrouble)
    // A bucket of several replicas may have no leader at first.
    yield* Effect.promise(() => membership.join().catch((error: unknown) => onTrouble(error, 'heartbeat')))

    const fork = Effect.runForkWith(yield* Effect.context())
    /** Without it, others wait a while before they count the partition as arrived. */
    const noteServing = async (partition: number): Promise<void> => {
      while (locks.isHeld(partition))
        try {
          return await locks.note(partition, { isServing: true })
        } catch (error) {
          onTrouble(error, `partition ${partition}`)
          await new Promise((resolve) => setTimeout(resolve, times.requestMs))
        }
    }
    const start = (partition: number) => {
      const fiber = fork(
        supervisePartition({
          partition,
          locks,
          lease: {
            confirmedAtMs: () => locks.confirmedAtMs(partition),
            ttlMs,
            isLoadedAhead: () => placer.isLoadedAhead(partition),
            refuse: (reason) => {
              emit('refused', partition, reason)
              membership.refuse({ partition, reason })
              placer.wake()
            },
          },
          run: options.run,
          serving: () => void noteServing(partition),
          emit: (kind, reason) => emit(kind, partition, reason),
          releaseReason: () => (membership.isLeaving ? 'this node stops' : 'it falls to another node'),
        }),
      )
      return { stop: () => Effect.runPromise(Fiber.interrupt(fiber)) }
    }
    const loadAhead = (partition: number) => {
      let isLoaded = (): void => {}
      const loaded = new Promise<void>((resolve) => (isLoaded = resolve))
      ahead.add(partition)
      // What fails need not be waited for either.
      const loading = Effect.ignore(options.loadAhead?.(partition) ?? Effect.void)
      const fiber = fork(
        Effect.scoped(loading.pipe(Effect.andThen(Effect.sync(isLoaded)), Effect.andThen(Effect.never))),
      )
      const stop = async (): Promise<void> => {
        ahead.delete(partition)
        await Effect.runPromise(Fiber.interrupt(fiber))
      }
      return { loaded, stop }
    }
    const isInformed = () => membersWatch.isLive && locksWatch.isLive
    const placer: Placer = new Placer({
      partitions,
      times,
      membership,
      locks,
      notes,
      pins,
      isInformed,
      start,
      isStandby: standby !== undefined,
      loadAhead,
      taking: (partition) => options.taking?.(partition),
      onTrouble,
    })
    const membersWatch: KvWatch<RunnerRecord> = new KvWatch(nc, runners, times, {
      onSnapshot: (entries, gapMs) => {
        membership.snapshot(entries, gapMs)
        placer.wake()
      },
      onEntry: (entry) => {
        if (membership.heard(entry)) placer.wake()
      },
      onTrouble: (error) => onTrouble(error, 'watch of nodes'),
    })
    const locksWatch: KvWatch<PartitionLock> = new KvWatch(nc, lockBucket, times, {
      onSnapshot: (entries) => {
        locks.snapshot(entries, ttlMs)
        notes.snapshot(entries)
        pins.snapshot(entries)
        placer.wake()
      },
      onEntry: (entry) => {
        locks.heard(entry)
        notes.heard(entry)
        pins.heard(entry)
        placer.wake()
      },
      onTrouble: (error) => onTrouble(error, 'watch of locks'),
    })
    yield* Effect.addFinalizer(() =>
      Effect.promise(async () => {
        membersWatch.close()
        locksWatch.close()
        await membership.signOff().catch((error: unknown) => onTrouble(error, 'heartbeat'))
      }),
    )

    let failingSinceMs: number | undefined
    const confirmed = () => {
      told.clear()
      if (failingSinceMs === undefined) return
      const seconds = Math.max(1, Math.round((performance.now() - failingSinceMs) / 1_000))
      failingSinceMs = undefined
      emit('recovered', undefined, `heartbeat: confirmed again after ${seconds} s`)
    }
    const failed = (error: unknown) => {
      failingSinceMs ??= performance.now()
      onTrouble(error, 'heartbeat')
    }
    const beat = Effect.tryPromise(() => membership.beat()).pipe(
      Effect.match({ onFailure: ({ cause }) => failed(cause), onSuccess: confirmed }),
      Effect.andThen(Effect.sleep(times.beatMs)),
    )
    yield* Effect.forkScoped(Effect.forever(beat))

    // Before the heartbeat ends.
    yield* Effect.addFinalizer(() =>
      Effect.promise(async () => {
        await membership.leave().catch((error: unknown) => onTrouble(error, 'heartbeat'))
        await placer.leave()
      }),
    )

    return { status: attempt(() => clusterStatus(nc, log)), beatAtMs: () => membership.beatAtMs, ttlMs }
  })

/**
 * Joins the nodes of a log and runs the partitions that fall to this one, until the scope closes: then each is
 * drained, given back, and the node signs off.
 *
 * @errors `InvalidArgument`, `NatsUnreachable`, `JetStreamDisabled`, `Timeout`
 */
export const placement = (options: PlacementOptions): Effect.Effect<Placement, KirokuError, Scope.Scope> =>
  startPlacement(options, processIdentity())
