import { evolve, PartitionState, restore, snapshot, stateHash } from '@kiroku/partition'
import { expect, it } from 'vitest'
import { readCheckpoint } from './CheckpointCodec.ts'
import { CheckpointThreads } from './CheckpointThreads.ts'
import { decodeAside } from './decodeAside.ts'
import { encodeAside } from './encodeAside.ts'
import { makeCheckpoint } from './makeCheckpoint.ts'

/** A state with much of everything that is not messages alone. */
const largeState = (items: number): PartitionState => {
  const state = new PartitionState(0)
  const by = { name: 'tester', origin: 'test' }
  state.beginFrame(1, 1_000)
  evolve(state, { type: 'QueueCreated', queue: 1, name: 'dead', config: {}, by })
  for (const [i, config] of [{ groups: 'ordered' }, { groups: 'fair' }, {}].entries())
    evolve(state, { type: 'QueueCreated', queue: i + 2, name: `q${i}`, config, by })
  for (let i = 1; i <= items; i++) {
    state.beginFrame(i + 1, 1_000 + i)
    const sent = { type: 'Enqueued', first: i, count: 1, bytes: 9, producer: `p${i}`, dueAt: 0 } as const
    evolve(state, { ...sent, queue: 2, send: 1, group: `g${i}` })
    evolve(state, { ...sent, queue: 3, send: 2, group: `tenant ${i % 100}` })
    const keys = new Uint8Array(new Float64Array([i, i]).buffer)
    evolve(state, { ...sent, queue: 4, send: 3, keys, first: 2 * i - 1 })
    evolve(state, { ...sent, queue: 4, send: 4, first: 2 * i, dueAt: 1e6 + i, tag: `t${i}` })
    const given = { queue: 4, sub: 0, numbers: [2 * i - 1, 1] }
    const [leaseUntil, leaseCap, attemptsMax, mode] = [5e6, 5e6, 3, 'push'] as const
    const lease = { leaseUntil, leaseCap, attemptsMax, mode, consumer: 'c' }
    evolve(state, { ...given, ...lease, type: 'Delivered', delivery: i, attempt: `attempt ${i}` })
    if (i % 2 === 1) continue
    const target = { partition: 1, queue: 9 }
    evolve(state, { ...given, type: 'DeadLettered', cause: 'onPurpose', error: '', target, forward: i / 2 })
  }
  return state
}

it('makes and reads the same checkpoint on a thread as here, of every part of the state', async () => {
  // Every list is of several pieces.
  const state = largeState(2_100)
  const task = { seq: 2_101, hash: new Uint8Array(32), largeBodies: [], behind: 0 }
  const here = makeCheckpoint({ ...task, snapshot: snapshot(state) })
  const aside = await encodeAside({ ...task, snapshot: snapshot(state) })
  const threads = new CheckpointThreads()
  for (const which of ['a new thread', 'the same thread']) {
    const { digest } = await encodeAside({ ...task, snapshot: snapshot(state) }, threads)
    expect(digest, which).toBe(aside.digest)
  }
  const made = readCheckpoint(here.bytes)!
  expect({ ...readCheckpoint(aside.bytes), digest: made.digest }).toEqual(made)
  expect(aside.stateHash).toBe(stateHash(snapshot(state)))
  const { attempts, producers, delayed, outbox, queues } = snapshot(state)
  expect(attempts!.length).toBeGreaterThanOrEqual(1_050)
  expect([producers.ids.length, producers.sends.length]).toEqual([2_100, 4 * 4 * 2_100])
  expect(delayed).toHaveLength(2_100)
  expect(outbox.map(({ entries }) => entries.length)).toEqual([1_050])
  expect(queues.map(({ subs }) => subs[0]!.groups?.length)).toEqual([undefined, 2_100, 100, undefined])

  const read = (await decodeAside(aside.bytes))!
  expect(read.oldestBody).toBe(here.oldestBody)
  expect(outbox[0]!.entries).toMatchObject({ 0: { firstAt: 1_002 }, 1_049: { firstAt: 3_100 } })
  expect(read.snapshot.outbox).toEqual(outbox)
  expect(stateHash(snapshot(restore(read.snapshot)))).toBe(aside.stateHash)
  // What a store handed out may be its own.
  expect(aside.bytes.length).toBeGreaterThan(0)
})
