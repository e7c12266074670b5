import { encodeEnvelope, limits, type CommandOf, type QueueConfig } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { numbersOf, TestPartition } from '../testing/TestPartition.ts'

const hour = 3_600_000

/** A queue, and clocks that disagree from now on. */
const given = (config: Partial<QueueConfig> = {}, before: (p: TestPartition) => void = () => {}) => {
  const p = new TestPartition()
  p.create('q', config)
  before(p)
  p.now += 1_000
  const dispute = { storeMs: p.now + 24 * hour, nodeMs: p.now }
  p.record({ type: 'ClockResumed', now: p.now, gapMs: 0, dispute })
  return p
}
const send = (p: TestPartition, producer: string, text = producer): number => {
  const messages = [encodeEnvelope(new TextEncoder().encode(text))]
  const command: CommandOf<'Enqueue'> = { type: 'Enqueue', queue: 'q', producer, send: 1, messages }
  return p.ok(command).first
}

describe('a step of the time ages nothing that came while the clocks disagreed:', () => {
  it('a producer is remembered as long as always', () => {
    const p = given()
    send(p, 'a')
    p.step(limits.producerIdleMs)
    send(p, 'b')
    expect(send(p, 'a')).toBe(1)
  })
  it('a repeat is known as long as always', () => {
    const p = given({ dedup: 'content', dedupWindowMs: 60_000 })
    send(p, 'a', 'x')
    p.step(hour)
    expect(send(p, 'b', 'x')).toBe(1)
    p.pass(60_000)
    expect(send(p, 'c', 'x')).toBe(2)
  })
  it('a receive that is asked again gets what it got', () => {
    const p = given()
    p.send('q', 2)
    const first = p.receive('q', { max: 1, attempt: 'x', leaseMs: hour })!
    p.step(limits.attemptMs)
    expect(p.receive('q', { max: 1, attempt: 'x', leaseMs: hour })).toMatchObject({
      delivery: first.delivery,
      numbers: [1, 1],
    })
  })
  it('a delay ends as long after it as was asked for', () => {
    const p = given({}, (early) => early.send('q', 1, { delayMs: 10 * 60_000 }))
    p.send('q', 1, { delayMs: 5 * 60_000 })
    p.step(hour)
    p.turn()
    expect(p.events).toMatchObject([{ type: 'DelayElapsed', numbers: [1, 1] }])
    expect(p.pass(5 * 60_000 - 1)).toEqual([])
    expect(p.pass(1)).toMatchObject([{ type: 'DelayElapsed', numbers: [2, 1] }])
  })
  it('a lease may be extended as far as its cap allows, also of a message that came before', () => {
    const p = given({ leaseCapMs: 60_000, leaseMs: 10_000 }, (early) => early.send('q'))
    const delivery = p.receive('q')!
    p.step(hour)
    expect(p.settle('Extend', delivery, { leaseMs: 60_000 })).toEqual([])
    expect(p.settle('Extend', delivery, { leaseMs: 60_001 })).toEqual(['LeaseCapReached'])
  })
  it('a dead letter on its way is as old as it was', () => {
    const target = { partition: 7, queue: 4, name: 'dead' }
    const p = given({ deadLetter: target }, (early) => early.send('q'))
    const before = p.now - 1_000
    p.send('q')
    const sent = p.now
    p.settle('DeadLetter', p.receive('q')!)
    p.step(hour)
    const [lane] = [...p.state.outbox.values()]
    expect(lane!.entries.map(({ enqueuedAt }) => enqueuedAt)).toEqual([before, sent + hour])
  })
  it('and what was there before is as much older', () => {
    const p = given({ retentionMs: hour }, (early) => early.send('q'))
    p.send('q')
    p.step(hour)
    p.turn()
    expect(numbersOf(p.receive('q')!.numbers)).toEqual([2])
  })
})
