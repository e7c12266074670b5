import { expect, it } from 'vitest'
import { warningOf } from './warningOf.ts'

const queue = (name: string, inflight: number, inflightMax: number) => ({
  name,
  counts: { inflight },
  config: { inflightMax },
})

it('says nothing of queues that are far from their limit or have none', () => {
  expect(warningOf([queue('mail', 7, 10), queue('orders', 9_000, 0)])).toBeUndefined()
})

it('names the first queue that is near its limit, and how many others are', () => {
  expect(warningOf([queue('mail', 8, 10)])).toBe('mail has 8 of 10 in flight')
  expect(warningOf([queue('mail', 8, 10), queue('orders', 10, 10)])).toBe(
    'mail has 8 of 10 in flight, and 1 more',
  )
})
