import { connect } from '@kiroku/nats'
import { waitUntil, withNats } from '@kiroku/testkit'
import type { NatsConnection } from '@nats-io/nats-core'
import * as Effect from 'effect/Effect'
import * as Fiber from 'effect/Fiber'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { placement } from './index.ts'

const server = withNats()
let nc: NatsConnection
let log: string
let logs = 0
const nodes: TestNode[] = []

beforeEach(async () => {
  nc = await connect({ servers: server().url })
  log = `log${logs++}`
})
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.leave()
  await nc.close()
})

/** A node whose partitions do nothing; what it loads ahead is done when `load` says so. */
class TestNode {
  /** Partitions that run here, and what was begun to be loaded ahead. */
  readonly running = new Set<number>()
  readonly ahead = new Set<number>()
  readonly #fiber: Fiber.Fiber<never, unknown>

  constructor(load: Effect.Effect<void, unknown>) {
    const track = (set: Set<number>, partition: number) =>
      Effect.acquireRelease(
        Effect.sync(() => set.add(partition)),
        () => Effect.sync(() => set.delete(partition)),
      )
    const node = placement({
      nc,
      log,
      partitions: 2,
      run: (partition, _lease, serving) =>
        track(this.running, partition).pipe(
          Effect.andThen(Effect.sync(serving)),
          Effect.andThen(Effect.never),
        ),
      loadAhead: (partition) => track(this.ahead, partition).pipe(Effect.andThen(load)),
    })
    this.#fiber = Effect.runFork(Effect.scoped(Effect.andThen(node, Effect.never)))
    nodes.push(this)
  }

  async leave(): Promise<void> {
    await Effect.runPromise(Fiber.interrupt(this.#fiber))
  }
}

test('an owner serves on until the next one has loaded the partition', async () => {
  const first = new TestNode(Effect.void)
  await waitUntil(() => first.running.size === 2)
  let open = (): void => {}
  const gate = new Promise<void>((resolve) => (open = resolve))
  const second = new TestNode(Effect.promise(() => gate))
  await waitUntil(() => second.ahead.size === 1)
  const [partition] = [...second.ahead]
  expect(first.running).toContain(partition)
  open()
  await waitUntil(() => second.running.has(partition!) && second.ahead.size === 0)
  expect(first.running).not.toContain(partition)
})

test('an owner that stops hands over what others have loaded, one after the other', async () => {
  const first = new TestNode(Effect.void)
  await waitUntil(() => first.running.size === 2)
  const second = new TestNode(Effect.void)
  await waitUntil(() => first.running.size === 1 && second.running.size === 1)
  await first.leave()
  await waitUntil(() => second.running.size === 2)
})

test('where it never ends, the owner hands over all the same', { timeout: 30_000 }, async () => {
  const first = new TestNode(Effect.void)
  await waitUntil(() => first.running.size === 2)
  const second = new TestNode(Effect.never)
  await waitUntil(() => second.running.size === 1, { timeoutMs: 20_000 })
  expect(first.running.size).toBe(1)
})
