import * as Effect from 'effect/Effect'
import * as Fiber from 'effect/Fiber'
import type { OwnershipLease, PlacementEvent, PlacementOptions } from '../Placement.ts'
import { placement } from '../startPlacement.ts'

/** A node whose partitions do nothing. */
export interface TestPlacement {
  readonly events: Array<PlacementEvent>
  /** The partitions that run here. */
  readonly running: ReadonlySet<number>
  /** Those that are loaded ahead here. */
  readonly ahead: ReadonlySet<number>
  readonly leave: () => Promise<void>
}

/** What the partitions of a test's node do all the same. */
export interface TestPartitions {
  /** Called when one begins. */
  readonly begin?: (partition: number, lease: OwnershipLease) => void
  /** How loading one ahead goes; default: at once. */
  readonly load?: Effect.Effect<void, unknown>
  /** Whether the node is a standby; default: not. */
  readonly isStandby?: boolean
}

/** Starts a node; as an engine does, it tries again where JetStream is not ready. The test lets it leave. */
export const startTestPlacement = (
  options: Omit<PlacementOptions, 'run' | 'loadAhead' | 'reached' | 'onEvent'>,
  { begin, load = Effect.void, isStandby = false }: TestPartitions = {},
): TestPlacement => {
  const events: Array<PlacementEvent> = []
  const running = new Set<number>()
  const ahead = new Set<number>()
  const loaded = new Set<number>()
  const within = (set: Set<number>, partition: number) =>
    Effect.acquireRelease(
      Effect.sync(() => set.add(partition)),
      () => Effect.sync(() => set.delete(partition)),
    )
  const node = placement({
    ...options,
    run: (partition, lease, serving) =>
      Effect.gen(function* () {
        yield* within(running, partition)
        begin?.(partition, lease)
        serving()
        return yield* Effect.never
      }),
    loadAhead: (partition) =>
      within(ahead, partition).pipe(Effect.andThen(load), Effect.andThen(within(loaded, partition))),
    ...(isStandby ? { reached: (partition) => (loaded.has(partition) ? 1 : undefined) } : {}),
    onEvent: (event) => events.push(event),
  })
  const joined = Effect.scoped(Effect.andThen(node, Effect.never)).pipe(
    Effect.tapError(() => Effect.sleep('100 millis')),
    Effect.eventually,
  )
  const fiber = Effect.runFork(joined)
  return {
    events,
    running,
    ahead,
    leave: async () => {
      await Effect.runPromise(Fiber.interrupt(fiber))
    },
  }
}
