import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { unless } from './unless.ts'

it('rejects with the reason of a signal that is aborted, and takes care of an outcome that fails later', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  const outcome = Promise.withResolvers<void>()
  await expect(unless(AbortSignal.abort(new Error('over')), outcome.promise)).rejects.toThrow('over')
  outcome.reject(new Error('late'))
  // Node tells of them once the microtasks of a turn are done.
  await new Promise(setImmediate)
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})

it('gives an outcome that is there already as it is, and one that comes unless the signal is first', async () => {
  const over = new AbortController()
  expect(unless(over.signal, 1)).toBe(1)
  expect(await unless(over.signal, Promise.resolve(2))).toBe(2)
  const never = unless(over.signal, new Promise(() => {}))
  over.abort(new Error('over'))
  await expect(never).rejects.toThrow('over')
})

it('listens once to a signal, however many outcomes wait for it, and ends all of them', async () => {
  const over = new AbortController()
  const many = Array.from({ length: 20 }, () => unless(over.signal, new Promise(() => {})))
  expect(getEventListeners(over.signal, 'abort')).toHaveLength(1)
  over.abort(new Error('over'))
  const ends = await Promise.allSettled(many)
  expect(ends.map(({ status }) => status)).toEqual(many.map(() => 'rejected'))
})
