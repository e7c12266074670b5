import { waitUntil } from '@kiroku/testkit'
import * as Effect from 'effect/Effect'
import { expect, test } from 'vitest'
import { placementsForEach } from './testing/placementsForEach.ts'

const placements = placementsForEach()

/** A node that loads partitions ahead like this. */
const start = (load: Effect.Effect<void, unknown> = Effect.void) =>
  placements.start({ partitions: 2 }, { load })

test('an owner serves on until the next one has loaded the partition', async () => {
  const first = start()
  await waitUntil(() => first.running.size === 2)
  let open = (): void => {}
  const gate = new Promise<void>((resolve) => (open = resolve))
  const second = start(Effect.promise(() => gate))
  await waitUntil(() => second.ahead.size === 1)
  const [partition] = [...second.ahead]
  expect(first.running).toContain(partition)
  open()
  await waitUntil(() => second.running.has(partition!) && second.ahead.size === 0)
  expect(first.running).not.toContain(partition)
})

test('an owner that stops hands over what others have loaded, one after the other', async () => {
  const first = start()
  await waitUntil(() => first.running.size === 2)
  const loaded: number[] = []
  const load = Effect.sync(() => loaded.push(...second.ahead))
  const second = start(load)
  await waitUntil(() => first.running.size === 1 && second.running.size === 1)
  await first.leave()
  await waitUntil(() => second.running.size === 2)
  expect(new Set(loaded)).toEqual(new Set([0, 1]))
})

test('where it never ends, the owner hands over all the same', { timeout: 30_000 }, async () => {
  const first = start()
  await waitUntil(() => first.running.size === 2)
  const second = start(Effect.never)
  await waitUntil(() => second.running.size === 1, { timeoutMs: 20_000 })
  expect(first.running.size).toBe(1)
})
