import { expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

it("[RMQ-07] the document's timeline: 6 s of work + 10 s of pause + 5 s Ready make 21 s between two consumptions", async () => {
  // 0 s: Ready
  await using world = await createWorld()
  await world.queue('orders', { retry: { kind: 'rocketmq' }, retriesMax: 16 })
  await world.send('orders', 'x')
  expect(await world.counts('orders')).toMatchObject({ available: 1 })

  // 5 s: Inflight
  await world.advance('5 seconds')
  const [first] = await world.receive('orders', { mode: 'push' })
  expect(first).toMatchObject({ attempt: 1 })
  expect(await world.counts('orders')).toMatchObject({ inflight: 1 })

  // 11 s: the consumption fails
  await world.advance('6 seconds')
  await first!.retry({ error: 'broken' })
  expect(await world.counts('orders')).toMatchObject({ waitingRetry: 1 })

  // Until 21 s it is not delivered
  await world.advance('9999 millis')
  expect(await world.receive('orders', { mode: 'push' })).toEqual([])
  expect(await world.counts('orders')).toMatchObject({ waitingRetry: 1 })

  // 21 s: Ready
  await world.advance('1 millis')
  expect(world.seconds).toBe(21)
  expect(await world.counts('orders')).toMatchObject({ available: 1, waitingRetry: 0 })

  // 26 s: Inflight again
  await world.advance('5 seconds')
  const [second] = await world.receive('orders', { mode: 'push' })
  expect(second).toMatchObject({ id: first!.id, attempt: 2 })
  const deliveries = (await world.record()).filter(({ type }) => type === 'Delivered')
  expect(deliveries[1]!.at - deliveries[0]!.at).toBe(21_000)
})
