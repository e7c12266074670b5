import { describe, expect, it } from 'vitest'
import { encodeEnvelope, evolve, type CommandOf, type QueueConfig } from './index.ts'
import { TestPartition } from './TestPartition.ts'

const target = { partition: 7, queue: 4, name: 'dead' }
const address = { partition: 7, queue: 4 }

const given = (config: Partial<QueueConfig> = {}, count = 1): TestPartition => {
  const p = new TestPartition()
  p.create('q', { deadLetter: target, ...config })
  p.send('q', count)
  return p
}
const lane = (p: TestPartition) => [...p.state.outbox.values()][0]

describe('a message whose attempts are used up', () => {
  it('goes to the dead-letter queue with the retry that was one too many', () => {
    const p = given({ retriesMax: 1 })
    p.settle('Retry', p.receive('q')!, { error: 'no' })
    p.settle('Retry', p.receive('q')!, { error: 'still no' })
    expect(p.events).toMatchObject([
      { type: 'DeadLettered', cause: 'retry', error: 'still no', target: address, forward: 1 },
    ])
    expect(p.counts('q')).toMatchObject({ deadLettered: 1, available: 0, inflight: 0, waitingRetry: 0 })
    expect(lane(p)).toMatchObject({
      source: 1,
      target: address,
      next: 2,
      entries: [{ forward: 1, number: 1, attempts: 2, cause: 'retry', error: 'still no' }],
    })
  })
  it('goes there when its last lease ends', () => {
    const p = given({ retriesMax: 0 })
    p.receive('q', { leaseMs: 100 })
    expect(p.pass(100)).toMatchObject([{ type: 'DeadLettered', cause: 'leaseExpired' }])
  })
  it('is discarded where there is no dead-letter queue', () => {
    const p = given({ retriesMax: 0, deadLetter: null })
    p.settle('Retry', p.receive('q')!)
    expect(p.events).toMatchObject([{ type: 'Discarded', reason: 'exhausted', cause: 'retry' }])
    expect(p.counts('q').discarded).toBe(1)
  })
  it('stays until the next receive where exhaustion is seen there, and then is not delivered', () => {
    const p = given({ retriesMax: 0, exhaustion: 'onNextReceive' })
    p.settle('Retry', p.receive('q')!)
    expect(p.counts('q')).toMatchObject({ available: 1, deadLettered: 0 })
    expect(p.receive('q')).toBeUndefined()
    expect(p.events).toMatchObject([{ type: 'DeadLettered', cause: 'nextReceive', numbers: [1, 1] }])
    expect(p.counts('q')).toMatchObject({ available: 0, deadLettered: 1 })
  })
  it('is discarded by the next receive where there is no dead-letter queue', () => {
    const p = given({ retriesMax: 0, exhaustion: 'onNextReceive', deadLetter: null })
    p.receive('q', { leaseMs: 100 })
    expect(p.pass(100)).toMatchObject([{ type: 'LeaseExpired' }])
    expect(p.receive('q')).toBeUndefined()
    expect(p.events).toMatchObject([{ type: 'Discarded', reason: 'exhausted', cause: 'nextReceive' }])
  })
  it('leaves room in the batch for the others', () => {
    const p = given({ retriesMax: 0, exhaustion: 'onNextReceive' }, 3)
    p.settle('Retry', p.receive('q', { max: 2 })!)
    expect(p.receive('q', { max: 1 })!.numbers).toEqual([3, 1])
    expect(p.counts('q')).toMatchObject({ deadLettered: 2, inflight: 1 })
  })
  it('is not an answer: a receive that finds nothing else goes on waiting', () => {
    const p = given({ retriesMax: 0, exhaustion: 'onNextReceive' })
    p.settle('Retry', p.receive('q')!)
    const poll = p.poll('q', { waitMs: 1_000 })
    expect(p.got(poll)).toBeUndefined()
    p.send('q')
    expect(p.got(poll)).toEqual([2])
  })
  it('is judged by the limit in force at its last delivery', () => {
    const p = given({ retriesMax: 3 })
    const d = p.receive('q')!
    p.configure('q', { retriesMax: 0 })
    p.settle('Retry', d)
    expect(p.counts('q').deadLettered).toBe(0)
    p.settle('Retry', p.receive('q')!)
    expect(p.counts('q').deadLettered).toBe(1)
  })
})

describe('a dead letter on purpose', () => {
  it('goes with its error, whatever attempts are left', () => {
    const p = given()
    expect(p.settle('DeadLetter', p.receive('q')!, { error: 'poison' })).toEqual([])
    expect(lane(p)?.entries).toMatchObject([{ cause: 'onPurpose', error: 'poison', attempts: 1 }])
  })
  it('of somebody whose lease ended is refused', () => {
    const p = given()
    const d = p.receive('q', { leaseMs: 10 })!
    p.pass(10)
    expect(p.settle('DeadLetter', d)).toEqual(['ReceiptExpired'])
  })
})

describe('the outbox', () => {
  it('numbers forwards from 1 without a gap, in the order of the dead letters', () => {
    const p = given({}, 6)
    const d = p.receive('q')!
    p.settle('DeadLetter', d, { numbers: [4, 2], error: 'a' })
    p.settle('DeadLetter', d, { numbers: [1, 6], error: 'b' })
    const entries = lane(p)!.entries
    expect(entries.map((e) => [e.forward, e.number])).toEqual([
      [1, 4],
      [2, 2],
      [3, 1],
      [4, 6],
    ])
    expect(entries.map((e) => e.index)).toEqual([3, 1, 0, 5])
  })
  it('has a lane a target', () => {
    const p = given({}, 2)
    const d = p.receive('q')!
    p.settle('DeadLetter', d, { numbers: [1] })
    p.configure('q', { deadLetter: { partition: 8, queue: 2, name: 'other' } })
    p.settle('DeadLetter', d, { numbers: [2] })
    expect([...p.state.outbox.values()].map((l) => [l.target.partition, l.entries[0]!.forward])).toEqual([
      [7, 1],
      [8, 1],
    ])
  })
  it('forgets what the target stored, and goes on numbering', () => {
    const p = given({}, 3)
    const d = p.receive('q')!
    p.settle('DeadLetter', d, { numbers: [1, 2] })
    p.record({ type: 'Forwarded', source: 1, target: address, upTo: 2, outcome: 'stored' })
    expect(lane(p)!.entries.map((e) => e.forward)).toEqual([2])
    p.settle('DeadLetter', d, { numbers: [3] })
    expect(lane(p)!.entries.map((e) => e.forward)).toEqual([2, 3])
    p.record({ type: 'Forwarded', source: 1, target: address, upTo: 4, outcome: 'targetGone' })
    expect(lane(p)!.entries).toEqual([])
  })
  it('keeps the dead letters of a queue that is deleted', () => {
    const p = given()
    p.settle('DeadLetter', p.receive('q')!)
    p.ok({ type: 'DeleteQueue', queue: 'q', by: { name: 'tester', origin: 'test' } })
    expect(lane(p)!.entries.length).toBe(1)
  })
})

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
  it('to a queue that is gone says so, for ever', () => {
    const p = dlq()
    p.ok({ type: 'DeleteQueue', queue: 'dead', by: { name: 'tester', origin: 'test' } })
    p.create('dead')
    expect(p.ok(forward())).toEqual({ outcome: 'targetGone', upTo: 4 })
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

describe('a fact that cannot be', () => {
  it('is damage of the log', () => {
    const p = given()
    const damaged = expect.objectContaining({ id: 'LogDamaged' })
    const broken = [
      { type: 'Acked', queue: 1, sub: 0, numbers: [1, 1] },
      { type: 'Acked', queue: 9, sub: 0, numbers: [1, 1] },
      { type: 'DelayElapsed', queue: 1, numbers: [1, 1] },
      { type: 'QueuePurged', queue: 9, upTo: 1, by: { name: '', origin: '' } },
    ] as const
    for (const event of broken) expect(() => evolve(p.state, { ...event } as never)).toThrow(damaged)
  })
  it('of a type from the future is not passed over', () => {
    const p = given()
    expect(() => evolve(p.state, { type: 'Sung' } as never)).toThrow(
      expect.objectContaining({ id: 'FutureVersion' }),
    )
  })
})
