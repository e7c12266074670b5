/**
 * A node for the tests: runs partitions that do nothing, and reports on stdout what happens. Orders come on
 * stdin.
 */
import { connect } from '@kiroku/nats'
import * as Effect from 'effect/Effect'
import * as Fiber from 'effect/Fiber'
import { createInterface } from 'node:readline'
import type { ChildOptions, ChildLine } from './ClusterNode.ts'
import type { OwnershipLease } from './index.ts'
import { processIdentity } from './ProcessIdentity.ts'
import { startPlacement } from './startPlacement.ts'

const options = JSON.parse(process.argv[2] ?? '{}') as ChildOptions
const say = (line: ChildLine) => process.stdout.write(`${JSON.stringify(line)}\n`)

const nc = await connect({ servers: options.url })
const leases = new Map<number, OwnershipLease>()

const run = (partition: number, lease: OwnershipLease, serving: () => void) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      leases.set(partition, lease)
      serving()
      say({ kind: 'START', partition, atMs: Date.now() })
    }),
    () =>
      Effect.sync(() => say({ kind: 'DRAIN', partition, atMs: Date.now() })).pipe(
        Effect.andThen(Effect.sleep(options.drainMs ?? 0)),
        Effect.andThen(
          Effect.sync(() => {
            leases.delete(partition)
            say({ kind: 'STOP', partition, atMs: Date.now() })
          }),
        ),
      ),
  ).pipe(Effect.andThen(Effect.never))

const real = processIdentity()
const identity = options.machine === undefined ? real : { ...real, machine: options.machine }
const node = Effect.andThen(
  startPlacement(
    {
      nc,
      log: options.log,
      partitions: options.partitions,
      run,
      onEvent: (event) => say({ ...event, kind: event.kind, atMs: Date.now() }),
    },
    identity,
  ),
  Effect.never,
).pipe(Effect.scoped)

const fiber = Effect.runFork(node)
const stop = async () => {
  await Effect.runPromise(Fiber.interrupt(fiber))
  await nc.close()
  process.exit(0)
}
process.once('SIGTERM', () => void stop())

createInterface({ input: process.stdin })
  .on('line', () => {
    const ages = [...leases.values()].map((lease) => performance.now() - lease.confirmedAtMs())
    say({ kind: 'LEASES', oldestMs: Math.max(0, ...ages), count: ages.length, atMs: Date.now() })
  })
  // The test that started this node is gone.
  .on('close', () => process.exit(1))
