import { evolve, PartitionState, snapshot, SnapshotSpace, snapshotting } from '@kiroku/partition'
import { expect, it } from 'vitest'
import { piecesOf } from './SnapshotPieces.ts'

/** A state with one message under a lease. */
const leased = (): PartitionState => {
  const state = new PartitionState(0)
  state.beginFrame(1, 1_000)
  const by = { name: 'tester', origin: 'test' }
  evolve(state, { type: 'QueueCreated', queue: 1, name: 'q', config: {}, by })
  const sent = { first: 1, count: 1, bytes: 9, producer: 'p', send: 1, dueAt: 0 } as const
  evolve(state, { type: 'Enqueued', queue: 1, ...sent })
  const lease = {
    delivery: 1,
    leaseUntil: 5e6,
    leaseCap: 0,
    attemptsMax: 3,
    mode: 'push',
    consumer: 'c',
  } as const
  evolve(state, { type: 'Delivered', queue: 1, sub: 0, numbers: [1, 1], ...lease })
  return state
}

it('moves the columns of live messages to a thread, also those with room to spare', () => {
  const state = leased()
  const making = SnapshotSpace.make(state)
  let space = making.next()
  while (space.done !== true) space = making.next()
  const copying = snapshotting(state, space.value)
  let copied = copying.next()
  while (copied.done !== true) copied = copying.next()
  const { rest, moved } = piecesOf(copied.value)
  const { live } = structuredClone(rest, { transfer: moved })
  expect(live).toEqual(snapshot(state).live)
  for (const column of Object.values(space.value.live) as ArrayBufferView[])
    expect((column.buffer as ArrayBuffer).detached).toBe(true)
})
