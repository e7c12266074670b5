import { evolve, PartitionState } from '@kiroku/partition'
import type { LogEvent } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import { countEvent } from './countEvent.ts'

const delivered: LogEvent[] = [
  { type: 'QueueCreated', queue: 1, name: 'mail', config: {}, by: { name: 'ann', origin: 'cli' } },
  { type: 'Enqueued', queue: 1, first: 1, count: 4, bytes: [1, 1, 1, 1], producer: 'p', send: 1 } as never,
  {
    type: 'Delivered',
    ...{ queue: 1, sub: 0, delivery: 1, leaseUntil: 9_000, leaseCap: 0, attemptsMax: 4, mode: 'push' },
    ...{ numbers: [1, 4], consumer: 'c' },
  } as never,
]

it.each([
  ['Released', { numbers: [1, 2], cause: 'client' }],
  ['Deferred', { numbers: [1, 2], dueAt: 0, error: '' }],
  ['Deferred', { numbers: [1, 2], dueAt: 5_000, error: 'HTTP 429' }],
])('what is given back counts as released and not as failed: %s', (type, rest) => {
  const state = new PartitionState(0)
  state.beginFrame(1, 1_000)
  for (const event of delivered) evolve(state, event)
  const counts: Record<string, number> = {}
  countEvent({ type, queue: 1, sub: 0, ...rest } as unknown as LogEvent, state, (field, by) => {
    counts[field] = (counts[field] ?? 0) + by
  })
  expect(counts).toEqual({ released: 2 })
})
