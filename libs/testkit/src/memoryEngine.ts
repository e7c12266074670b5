import * as Effect from 'effect/Effect'
import * as Exit from 'effect/Exit'
import * as Scope from 'effect/Scope'
import { Node, type NodeOptions, type PartitionActor } from '@kiroku/engine'
import { createMemoryLog, type MemoryLog } from '@kiroku/log'
import { waitUntil } from './waitUntil.ts'

export { decodeCheckpoint } from '@kiroku/engine'

/** An in-process engine over a log in memory. */
export interface MemoryEngine {
  readonly log: MemoryLog
  /** The node that owns the partitions now; another one after a restart. */
  node(): Node
  /** Hands every partition over to a new node, as a take-over does. */
  restart(): Promise<void>
  close(): Promise<void>
}

/** Starts a node that owns every partition of a memory log. Close it, also when the test fails. */
export const startMemoryEngine = async (
  options: Partial<NodeOptions> & {
    readonly partitions?: number
    readonly log?: MemoryLog
    /** Time limit of a take-over, in ms. */
    readonly takeOverMsMax?: number
  } = {},
): Promise<MemoryEngine> => {
  const {
    partitions = 2,
    log = createMemoryLog({ partitions }),
    takeOverMsMax: timeoutMs = 10_000,
    ...nodeOptions
  } = options
  let count = 0
  const start = async (): Promise<{ node: Node; stop: () => Promise<void> }> => {
    const node = new Node({ log, name: `node-${++count}`, ...nodeOptions })
    const scope = Effect.runSync(Scope.make())
    for (let n = 0; n < partitions; n++) Effect.runFork(node.run(n).pipe(Scope.provide(scope)))
    await waitUntil(() => node.actors.size === partitions && [...node.actors.values()].every(isSettled), {
      timeoutMs,
    })
    return { node, stop: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
  }
  let running = await start()
  return {
    log,
    node: () => running.node,
    restart: async () => {
      await running.stop()
      running = await start()
    },
    close: async () => {
      await running.stop()
      await log.close()
    },
  }
}

/**
 * Waits for its first frame, so that a test reads the same record each time; or for damage, which a test may
 * want to see.
 */
const isSettled = ({ life, metrics }: PartitionActor): boolean =>
  life === 'Quarantined' || (life === 'Active' && metrics.appendCounts.some((count) => count > 0))
