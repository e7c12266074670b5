import { describe, expect, it } from 'vitest'
import { defaultQueueConfig, oldestBodySeq, restore, snapshot, snapshotSpace, stateHash } from './index.ts'
import { TestPartition } from './TestPartition.ts'

const busy = (): TestPartition => {
  const p = new TestPartition()
  p.create('a', { deadLetter: { partition: 1, queue: 1, name: 'dead' } })
  p.create('gone')
  p.create('b')
  p.ok({ type: 'DeleteQueue', queue: 'gone', by: { name: 'tester', origin: 'test' } })
  p.send('a', 5)
  p.send('b', 3, { delayMs: 400 })
  const d = p.receive('a', { max: 4 })!
  p.settle('Ack', d, { numbers: [2] })
  p.settle('Retry', d, { numbers: [3], delayMs: 500 })
  p.settle('DeadLetter', d, { numbers: [4] })
  p.record({ type: 'OwnerChanged', epoch: 4, node: 'n', part: 1, of: 1 })
  return p
}

describe('a snapshot', () => {
  it('restores to an equal state', () => {
    const { state } = busy()
    expect(stateHash(snapshot(restore(snapshot(state))))).toBe(stateHash(snapshot(state)))
  })
  it('survives a structured clone, as a checkpoint does', () => {
    const { state } = busy()
    expect(stateHash(structuredClone(snapshot(state)))).toBe(stateHash(snapshot(state)))
  })
  it('shares nothing with the state, which goes on', () => {
    const p = busy()
    const taken = snapshot(p.state)
    const before = stateHash(taken)
    p.send('a', 3)
    p.settle('Ack', p.receive('a')!)
    p.pass(1_000)
    expect(stateHash(taken)).toBe(before)
    expect(stateHash(snapshot(p.state))).not.toBe(before)
  })
  it.each([0, 4, 20_000])(
    'is the same in memory made ready before, also when %i messages came since',
    (since) => {
      const p = busy()
      p.send('a', 1_000)
      p.receive('a', { max: 1_000 })
      const making = snapshotSpace(p.state)
      let step = making.next()
      while (step.done !== true) step = making.next()
      for (let left = since; left > 0; left -= 1_000) {
        p.send('b', Math.min(left, 1_000))
        p.receive('b', { max: 1_000 })
      }
      const space = step.value
      const taken = snapshot(p.state, space)
      expect(stateHash(structuredClone(taken))).toBe(stateHash(snapshot(p.state)))
      expect(taken.live.number.buffer === space.live.number.buffer).toBe(since < 100)
    },
  )
  it('carries timers, lists and counters on', () => {
    const p = busy()
    const restored = new TestPartition(restore(snapshot(p.state)), restore(snapshot(p.state)))
    restored.now = p.now
    expect(restored.counts('a')).toEqual(p.counts('a'))
    const types = restored.pass(600).map((e) => e.type)
    expect(types).toEqual(['DelayElapsed', 'RetryDue'])
    expect(restored.receive('a')!.numbers).toEqual([3, 1, 5, 1])
    expect(restored.receive('b')!.numbers).toEqual([1, 3])
  })
})

describe('the state hash', () => {
  it('tells the order of messages that came back', () => {
    const hashAfter = (order: number[]): string => {
      const p = new TestPartition()
      p.create('q')
      p.send('q', 2)
      const d = p.receive('q')!
      for (const n of order) p.settle('Release', d, { numbers: [n] })
      return stateHash(snapshot(p.state))
    }
    expect(hashAfter([1, 2])).toBe(hashAfter([1, 2]))
    expect(hashAfter([1, 2])).not.toBe(hashAfter([2, 1]))
  })
  it('tells to which queue an untouched message belongs', () => {
    const hashOf = (queue: string): string => {
      const p = new TestPartition()
      p.create('a')
      p.create('b')
      p.send(queue, 1, { delayMs: 5 })
      return stateHash(snapshot(p.state))
    }
    expect(hashOf('a')).not.toBe(hashOf('b'))
  })
})

describe('a queue on record from before a setting existed', () => {
  const by = { name: 'tester', origin: 'test' }
  it('takes its default, and the hash of the state stays as it was recorded', () => {
    const p = new TestPartition()
    p.record({ type: 'QueueCreated', queue: 1, name: 'old', config: { leaseMs: 5 }, by })
    expect(p.ok({ type: 'DescribeQueue', queue: 'old' }).config).toEqual({
      ...defaultQueueConfig,
      leaseMs: 5,
    })
    const old = snapshot(p.state)
    expect(old.queues[0]!.config).toEqual({ leaseMs: 5 })
    expect(stateHash(snapshot(restore(old)))).toBe(stateHash(old))
  })
  it('has every setting on record once it is configured again', () => {
    const p = new TestPartition()
    p.record({ type: 'QueueCreated', queue: 1, name: 'old', config: { leaseMs: 5 }, by })
    p.ok({ type: 'ConfigureQueue', queue: 'old', config: { retriesMax: 1 }, by })
    expect(snapshot(p.state).queues[0]!.config).toEqual({ ...defaultQueueConfig, leaseMs: 5, retriesMax: 1 })
  })
})

describe('the oldest body that somebody may need', () => {
  it('is that of the oldest message which is untouched, live or on its way to another queue', () => {
    const p = new TestPartition()
    p.create('q', { deadLetter: { partition: 1, queue: 1, name: 'dead' } })
    expect(oldestBodySeq(snapshot(p.state))).toBe(Number.POSITIVE_INFINITY)
    p.send('q')
    const first = p.state.frameSeq
    p.send('q')
    const second = p.state.frameSeq
    p.send('q', 1, { delayMs: 5_000 })
    const third = p.state.frameSeq
    const d = p.receive('q')!
    expect(oldestBodySeq(snapshot(p.state))).toBe(first)
    p.settle('DeadLetter', d, { numbers: [1] })
    p.settle('Ack', d, { numbers: [2] })
    expect(oldestBodySeq(snapshot(p.state))).toBe(first)
    p.record({ type: 'Forwarded', source: 1, target: { partition: 1, queue: 1 }, upTo: 2, outcome: 'stored' })
    expect(second).toBeLessThan(third)
    expect(oldestBodySeq(snapshot(p.state))).toBe(third)
  })
})
