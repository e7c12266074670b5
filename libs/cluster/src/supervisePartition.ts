import { isKirokuError } from '@kiroku/protocol'
import * as Cause from 'effect/Cause'
import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'
import { fencedPauseMs, restartForgivenMs, restartPauseMaxMs, restartPauseMs } from './ClusterLimits.ts'
import type { PartitionLocks } from './PartitionLocks.ts'
import type { OwnershipLease, PlacementEvent, PlacementOptions } from './Placement.ts'

/** Settings of {@link supervisePartition}. */
interface SuperviseOptions {
  readonly partition: number
  readonly locks: PartitionLocks
  readonly lease: OwnershipLease
  readonly run: PlacementOptions['run']
  /** Called when the partition answers. */
  readonly serving: () => void
  readonly emit: (kind: PlacementEvent['kind'], reason: string) => void
  /** Why the partition is being released. */
  readonly releaseReason: () => string
}

/** Pause in ms before the restart after `failures` failures in a row. */
const pauseBeforeRestartMs = (failures: number, wasFenced: boolean): number =>
  Math.min(
    restartPauseMaxMs,
    Math.max(wasFenced ? fencedPauseMs : 0, restartPauseMs * 2 ** Math.min(failures - 1, 10)),
  )

/**
 * Runs a partition whose lock was just taken and keeps it running: after a failure it is restarted, after a
 * pause and only if the leader still names this node as its owner. Once the lock is another node's it waits
 * to be interrupted.
 */
export const supervisePartition = (options: SuperviseOptions): Effect.Effect<never> => {
  const { partition, locks, emit } = options

  let lostReason: string | undefined
  const lost = Effect.callback<string>((resume) => {
    const stop = locks.onLost(partition, (reason) => {
      lostReason = reason
      resume(Effect.succeed(reason))
    })
    return Effect.sync(stop)
  })

  const confirmed = Effect.tryPromise(() => locks.confirm(partition)).pipe(
    Effect.tapError(() => Effect.sleep(restartPauseMs)),
    Effect.eventually,
  )

  const supervised = Effect.gen(function* () {
    let failures = 0
    for (;;) {
      const startedAtMs = performance.now()
      const end = yield* Effect.exit(
        Effect.scoped(Effect.suspend(() => options.run(partition, options.lease, options.serving))),
      )
      const error = Exit.isFailure(end) ? Cause.squash(end.cause) : undefined
      failures = performance.now() - startedAtMs >= restartForgivenMs ? 1 : failures + 1
      const pauseMs = pauseBeforeRestartMs(failures, isKirokuError(error) && error.id === 'Fenced')
      yield* Effect.sleep(pauseMs)
      if (!(yield* confirmed)) return yield* Effect.never
      emit('restarted', `${String(error)} (after a pause of ${pauseMs} ms)`)
    }
  })

  // It may be interrupted for that very loss.
  const released = Effect.sync(() =>
    lostReason === undefined ? emit('released', options.releaseReason()) : emit('lost', lostReason),
  )

  return Effect.gen(function* () {
    emit('acquired', locks.reason(partition))
    const reason = yield* Effect.onInterrupt(Effect.raceFirst(supervised, lost), () => released)
    emit('lost', reason)
    return yield* Effect.never
  })
}
