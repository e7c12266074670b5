import { type ConsumerDescription, limits, type QueueDescription, mergeConsumers } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { TestPartition } from '../testing/TestPartition.ts'

const withQueue = (): TestPartition => {
  const p = new TestPartition()
  p.create('q', {})
  return p
}

const consumersOf = (p: TestPartition): readonly ConsumerDescription[] | undefined => {
  const described = p.ok({ type: 'DescribeQueue', queue: 'q' }) as QueueDescription
  return described.subscriptions[0]!.consumers
}

describe('the consumers of a queue', () => {
  it('are told by their names, with the receives that wait, the messages they hold, and since when', () => {
    const p = withQueue()
    expect(consumersOf(p)).toEqual([])
    const { now } = p
    p.poll('q', { consumer: 'idle', waitMs: 60_000 })
    p.poll('q', { consumer: 'idle', waitMs: 60_000 })
    expect(consumersOf(p)).toEqual([{ name: 'idle', waitingPolls: 2, inflight: 0, since: now }])
    p.send('q', 3)
    p.now += 1_000
    p.poll('q', { consumer: 'busy', waitMs: 60_000 })
    p.send('q', 5)
    p.send('q', 7)
    expect(consumersOf(p)).toEqual([
      { name: 'idle', waitingPolls: 0, inflight: 8, since: now },
      { name: 'busy', waitingPolls: 0, inflight: 7, since: now + 1_000 },
    ])
  })

  it('are told also where they wait for one group alone', () => {
    const p = new TestPartition()
    p.create('q', { groups: 'fair' })
    const { now } = p
    p.poll('q', { consumer: 'requester', group: 'its own', waitMs: 60_000 })
    expect(consumersOf(p)).toEqual([{ name: 'requester', waitingPolls: 1, inflight: 0, since: now }])
  })

  it('leave when they hold nothing and wait no longer, and begin again after a long silence', () => {
    const p = withQueue()
    const receive = () => {
      p.send('q', 1)
      return p.receive('q', { consumer: 'worker' })!
    }
    const begun = p.now
    const { queue, sub, delivery, numbers } = receive()
    p.turn({ type: 'Ack', items: [{ queue, sub, delivery, numbers }] })
    expect(consumersOf(p)).toEqual([])
    p.now += 1_000
    receive()
    expect(consumersOf(p)![0]).toMatchObject({ inflight: 1, since: begun })
    p.now += limits.consumerSilenceMs + 1
    receive()
    expect(consumersOf(p)![0]).toMatchObject({ since: p.now })
  })

  it('are bounded, those that hold most first', () => {
    const p = withQueue()
    p.send('q', 150)
    for (let i = 0; i < 149; i++) p.receive('q', { consumer: `worker-${i}`, max: 1 })
    p.poll('q', { consumer: 'idle', waitMs: 60_000, max: 2, batchWaitMs: 60_000 })
    const told = consumersOf(p)!
    expect(told).toHaveLength(limits.consumersDescribedMax)
    expect(told.every(({ inflight }) => inflight === 1)).toBe(true)
  })

  it('of several partitions are one by their name, since the first of them', () => {
    const a = { name: 'a', waitingPolls: 1, inflight: 2, since: 5 }
    const merged = mergeConsumers([
      [a],
      undefined,
      [
        { ...a, since: 3 },
        { ...a, name: 'b', inflight: 9 },
      ],
    ])
    expect(merged).toEqual([
      { ...a, name: 'b', inflight: 9 },
      { name: 'a', waitingPolls: 2, inflight: 4, since: 3 },
    ])
    expect(mergeConsumers([undefined])).toBeUndefined()
  })
})
