import { type CommandOf, encodeEnvelope, type QueueConfig } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { TestPartition } from '../testing/TestPartition.ts'
import { by } from '../testing/deadLetters.ts'

describe('a forward', () => {
  const from = { partition: 9, queue: 2 }
  const forward = (change: Partial<CommandOf<'Forward'>> = {}, count = 3): CommandOf<'Forward'> => ({
    type: 'Forward',
    from,
    target: 1,
    forward: 1,
    messages: Array.from({ length: count }, (_, i) => encodeEnvelope(new Uint8Array([i]))),
    enqueuedAt: Array.from({ length: count }, (_, i) => 1_600_000_000_000 + i),
    ...change,
  })
  const dlq = (config: Partial<QueueConfig> = {}): TestPartition => {
    const p = new TestPartition()
    p.create('dead', config)
    return p
  }
  it('is stored like a send', () => {
    const p = dlq()
    expect(p.ok(forward())).toEqual({ outcome: 'stored', upTo: 4 })
    expect(p.receive('dead')!.numbers).toEqual([1, 3])
  })
  it('that is repeated is stored once, with the same answer', () => {
    const p = dlq()
    p.ok(forward())
    expect(p.ok(forward())).toEqual({ outcome: 'stored', upTo: 4 })
    expect(p.events).toEqual([])
    expect(p.counts('dead').sent).toBe(3)
  })
  it('that overlaps what came before adds only what is new', () => {
    const p = dlq()
    p.ok(forward())
    expect(p.ok(forward({ forward: 3 }))).toEqual({ outcome: 'stored', upTo: 6 })
    expect(p.events).toMatchObject([{ type: 'ForwardReceived', forward: 4, first: 4, count: 2 }])
    expect(p.bodies.get(`${p.state.frameSeq}/1`)).toEqual(
      [1, 2].map((i) => encodeEnvelope(new Uint8Array([i]))),
    )
  })
  it('of another queue is counted for itself', () => {
    const p = dlq()
    p.ok(forward())
    p.ok(forward({ from: { partition: 9, queue: 3 } }))
    p.ok(forward({ from: { partition: 8, queue: 2 } }))
    expect(p.counts('dead').sent).toBe(9)
  })
  it('to a deleted queue says so, however often it is sent', () => {
    const p = dlq()
    p.ok({ type: 'DeleteQueue', queue: 'dead', by })
    p.create('dead')
    expect(p.ok(forward())).toEqual({ outcome: 'targetGone', upTo: 4, stored: 1 })
  })
  it('to a queue that is gone learns what that had stored, and which queue has the name now', () => {
    const p = dlq()
    p.ok(forward({}, 2))
    p.ok({ type: 'DeleteQueue', queue: 'dead', by })
    const again = p.create('dead')
    expect(p.ok(forward({ name: 'dead' }, 3))).toEqual({ outcome: 'targetGone', upTo: 4, stored: 3, again })
    expect(p.counts('dead').sent).toBe(0)
  })
  it('for a subscription that is gone is not stored for nobody, and what comes ahead of it is stored', () => {
    const p = dlq()
    const subscriptions = ['', 'main', 'gone', '']
    expect(p.ok(forward({ subscriptions }, 4))).toEqual({ outcome: 'stored', upTo: 3 })
    expect(p.counts('dead').sent).toBe(2)
    expect(p.ask(forward({ subscriptions }, 4)).error?.id).toBe('UnknownSubscription')
    p.ok({ type: 'CreateSubscription', queue: 'dead', subscription: 'gone', settings: {}, by })
    expect(p.ok(forward({ subscriptions }, 4))).toEqual({ outcome: 'stored', upTo: 5 })
    expect(p.events).toMatchObject([
      { type: 'ForwardReceived', forward: 3, count: 1, only: 1 },
      { type: 'ForwardReceived', forward: 4, count: 1 },
    ])
  })
  it('counts retention from its arrival, or from the first send, as the queue says', () => {
    const p = new TestPartition()
    p.create('arrival', { retentionMs: 10_000 })
    p.create('original', { retentionMs: 10_000, retentionFrom: 'original' })
    const enqueuedAt = [p.now - 9_000, p.now - 4_000, p.now + 60_000]
    p.ok(forward({ target: 1, enqueuedAt }))
    p.ok(forward({ target: 2, enqueuedAt }))
    p.pass(6_500)
    expect([p.counts('arrival').available, p.counts('original').available]).toEqual([3, 1])
    p.pass(4_000)
    expect([p.counts('arrival').available, p.counts('original').available]).toEqual([0, 0])
  })
  const wrong: [string, Partial<CommandOf<'Forward'>>][] = [
    ['without a number', { forward: Number.NaN }],
    ['before the first', { forward: 0 }],
    ['between two', { forward: 1.5 }],
    ['without messages', { messages: [], enqueuedAt: [] }],
    ['without their times', { enqueuedAt: [1] }],
    ['with times that are none', { enqueuedAt: [1, Number.NaN, 3] }],
    ['to no queue', { target: Number.NaN }],
    ['from nowhere', { from: { partition: Number.NaN, queue: 1 } }],
  ]
  it.each(wrong)('%s is refused', (_, change) => {
    const p = dlq()
    expect(p.ask(forward(change)).error?.id).toBe('InvalidArgument')
    expect(p.counts('dead').sent).toBe(0)
  })
})
