import { describe, expect, it } from 'vitest'
import { TestPartition } from '../testing/TestPartition.ts'

const ageOf = (p: TestPartition, queue: string): number => p.ok({ type: 'DescribeQueue', queue }).oldestAgeMs

describe('the age of the oldest message of a queue', () => {
  it('is that of the oldest which is not final, delayed, untouched or delivered', () => {
    const p = new TestPartition()
    p.create('q', { leaseMs: 3_600_000 })
    expect(ageOf(p, 'q')).toBe(0)
    p.send('q', 1)
    const [first] = [p.receive('q')!]
    p.now += 5_000
    p.send('q', 2)
    p.now += 5_000
    expect(ageOf(p, 'q')).toBe(10_000)
    const { queue, sub, delivery, numbers } = first
    p.turn({ type: 'Ack', items: [{ queue, sub, delivery, numbers }] })
    expect(ageOf(p, 'q')).toBe(5_000)
    p.turn({ type: 'PurgeQueue', queue: 'q', by: { name: 'tester', origin: 'test' } })
    expect(ageOf(p, 'q')).toBe(0)
  })

  it('is known within a second where what came in the same second is gone', () => {
    const p = new TestPartition()
    p.create('q', {})
    p.send('q', 1)
    const { queue, sub, delivery, numbers } = p.receive('q')!
    p.now += 300
    p.send('q', 1)
    expect(ageOf(p, 'q')).toBe(300)
    p.turn({ type: 'Ack', items: [{ queue, sub, delivery, numbers }] })
    expect([0, 300]).toContain(ageOf(p, 'q'))
  })

  it('is told without a pass over the messages, however many of other queues are in flight', () => {
    const p = new TestPartition()
    p.create('q', {})
    p.create('busy', { leaseMs: 3_600_000 })
    p.send('busy', 3)
    p.receive('busy', { max: 3 })
    ageOf(p, 'q')
    // Whoever read them would find none.
    const owners = p.state.live.owner.slice()
    p.state.live.owner.fill(1_000_000)
    expect(ageOf(p, 'busy')).toBe(0)
    p.state.live.owner.set(owners)
  })
})
