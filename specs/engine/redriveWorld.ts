import { verify } from '@kiroku/audit'
import { decodeCheckpoint } from '@kiroku/engine'
import { expect } from 'vitest'
import { die, type World } from '../harness/index.ts'

/** Two queues that share a dead-letter queue, with dead letters of both in it. */
export const createDead = async (world: World): Promise<void> => {
  await world.queue('orders', { deadLetter: 'dead' })
  await world.queue('mail', { deadLetter: 'dead' })
  await die(world, 'orders', 'o1', 'no stock', { tag: 'eu', attributes: { tenant: 'acme' } })
  await die(world, 'orders', 'o2', 'no price', { tag: 'us', attributes: { tenant: 'zeta' } })
  await die(world, 'mail', 'm1', 'no address', { attributes: { tenant: 'acme' } })
  await die(world, 'mail', 'm2', 'out of stock')
}

/** A dead-letter queue with this many dead letters of `orders`. */
export const createMany = async (world: World, count: number): Promise<void> => {
  await world.queue('orders', { deadLetter: 'dead' })
  await world.sendBatch(
    'orders',
    Array.from({ length: count }, (_, i) => `${i + 1}`),
  )
  const messages = await world.receive('orders', { max: count })
  await world.client.deadLetter(
    messages.map(({ receipt }) => receipt),
    'no',
  )
  await world.advance('1 second')
  expect(await world.counts('dead')).toMatchObject({ available: count })
}

/** Takes what is in a queue now. */
export const bodiesIn = async (world: World, queue: string, subscription?: string): Promise<string[]> => {
  const messages = await world.receive(queue, {
    max: 1_000,
    bytesMax: 1e9,
    ...(subscription === undefined ? {} : { subscription }),
  })
  return messages.map((message) => message.text())
}

export const add = (a: number, b: number): number => a + b

export const latest = async (world: World) => (await world.client.queues.redrives('dead'))[0]!

export const expectLawful = async (world: World): Promise<void> => {
  const { partitions } = await verify(world.log, { decodeCheckpoint, deep: true })
  for (const { problem } of partitions) expect(problem).toBeUndefined()
}
