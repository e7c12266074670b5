import type { Client } from '@kiroku/client'
import { expect, it } from 'vitest'
import { QueueNames } from './QueueNames.ts'

/** A log of two queues, one of them in two parts, which counts its surveys. */
const world = () => {
  const log = { surveys: 0 }
  const queues = [
    { name: 'orders', partition: 0, queue: 1, spread: { parts: [{ partition: 1, queue: 7 }] } },
    { name: 'vault', partition: 1, queue: 1 },
  ]
  const survey = () => {
    log.surveys++
    return Promise.resolve({ queues, missing: [] })
  }
  return { log, names: new QueueNames({ queues: { survey } } as unknown as Pick<Client, 'queues'>, 1) }
}
const sees = (name: string): boolean => name !== 'vault'

it('a queue is known by its id, and by those of its parts, after one survey for all that ask', async () => {
  const { log, names } = world()
  const all = [0, 1].map((partition) => names.of({ partition, queue: partition === 0 ? 1 : 7 }, sees))
  expect(await Promise.all(all)).toEqual(['orders', 'orders'])
  expect(await names.of({ partition: 0, queue: 1 }, sees)).toBe('orders')
  expect(log.surveys).toBe(1)
})

it('a queue that the caller may not know of is looked for again, like one that does not exist', async () => {
  const { log, names } = world()
  await names.of({ partition: 0, queue: 1 }, sees)
  expect(await names.of({ partition: 1, queue: 1 }, sees)).toBeUndefined()
  expect(log.surveys).toBe(2)
  expect(await names.of({ partition: 1, queue: 2 }, sees)).toBeUndefined()
  expect(log.surveys).toBe(3)
})

it('a queue that something was received from needs no survey, and one that is gone is forgotten with the next', async () => {
  const { log, names } = world()
  const gone = { partition: 3, queue: 9 }
  names.learn(gone, 'orders-of-today')
  expect(await names.of(gone, sees)).toBe('orders-of-today')
  expect(log.surveys).toBe(0)
  await names.of({ partition: 0, queue: 1 }, sees)
  expect(await names.of(gone, sees)).toBeUndefined()
})
