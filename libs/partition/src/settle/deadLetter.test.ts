import { encodeEnvelope, type Answers, type CommandOf, type QueueConfig } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import {
  bodiesBefore,
  decideCarry,
  describeQueues,
  evolve,
  laneKey,
  lettersBefore,
  snapshot,
} from '../index.ts'
import { decideForwarded } from '../forward/decideForwarded.ts'
import { TestPartition } from '../testing/TestPartition.ts'

const target = { partition: 7, queue: 4, name: 'dead' }
const address = { partition: 7, queue: 4 }
const by = { name: 'tester', origin: 'test' }

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
  /** Three dead letters whose target says something of them. */
  const letters = (): TestPartition => {
    const p = given({}, 3)
    p.settle('DeadLetter', p.receive('q')!)
    return p
  }
  const said = (p: TestPartition, answer: Answers['Forward'], to = address): void => {
    const found = p.state.outbox.get(laneKey(1, to))!
    p.act((turn) => decideForwarded(turn, found, answer))
  }
  const gone = (change: { stored?: number; again?: number } = {}): Answers['Forward'] => ({
    outcome: 'targetGone',
    upTo: 4,
    stored: 1,
    ...change,
  })
  const lanes = (p: TestPartition) =>
    [...p.state.outbox.values()].map(({ target: to, entries }) => [
      `${to.partition}/${to.queue}`,
      entries.map((e) => `${e.forward}:${e.number}`).join(' '),
    ])
  const outbox = (p: TestPartition) =>
    describeQueues(p.state, [p.state.names.get('q')!], p.now, p.own)[0]!.outbox

  it('keeps what a queue that was deleted never stored, and says so', () => {
    const p = letters()
    said(p, gone())
    expect(p.events).toEqual([])
    const held = { reason: 'targetGone', since: p.now }
    expect(outbox(p)).toEqual([{ queue: 'q', to: 'dead', messages: 3, held }])
    p.now += 50
    said(p, gone())
    expect(outbox(p)![0]!.held).toEqual(held)
  })
  it('is done with what a queue that was deleted had stored, and readdresses the rest to the one with its name', () => {
    const p = letters()
    said(p, gone({ stored: 2, again: 9 }))
    expect(p.events).toMatchObject([
      { type: 'Forwarded', upTo: 2, outcome: 'stored' },
      { type: 'QueueConfigured', config: { deadLetter: { ...target, queue: 9 } }, by: { name: 'engine' } },
      {
        type: 'Readdressed',
        from: address,
        forwards: [2, 2],
        target: { partition: 7, queue: 9 },
        name: 'dead',
        forward: 1,
      },
      { type: 'LanesClosed', source: 1, targets: [7, 4] },
    ])
    expect(lanes(p)).toEqual([['7/9', '1:2 2:3']])
    expect(lane(p)!.entries.map((e) => e.decidedSeq)).toEqual([p.state.frameSeq, p.state.frameSeq])
    expect(outbox(p)).toEqual([{ queue: 'q', to: 'dead', messages: 2 }])
  })
  it('waits with a queue that was deleted where an older node cannot say what that had stored', () => {
    const p = letters()
    said(p, { outcome: 'targetGone', upTo: 4 })
    expect(p.events).toEqual([])
    expect(lanes(p)).toEqual([['7/4', '1:1 2:2 3:3']])
  })
  it('follows the setting that changes while its letters wait, ahead of those that come later', () => {
    const p = letters()
    said(p, gone())
    p.send('q')
    p.configure('q', { deadLetter: { partition: 8, queue: 2, name: 'other' } })
    p.settle('DeadLetter', p.receive('q')!)
    expect(lanes(p)).toEqual([['8/2', '1:1 2:2 3:3 4:4']])
    expect(outbox(p)).toEqual([{ queue: 'q', to: 'other', messages: 4 }])
  })
  it('keeps letters for which the record has no room until the target is asked again', () => {
    const p = letters()
    p.turnBytesMax = 500
    said(p, gone({ again: 9 }))
    expect(p.events).toEqual([])
    expect(lanes(p)).toEqual([['7/4', '1:1 2:2 3:3']])
    p.turnBytesMax = 100_000
    said(p, gone({ again: 9 }))
    expect(lanes(p)).toEqual([['7/9', '1:1 2:2 3:3']])
  })
  it('does not follow a setting that changes while its target is there', () => {
    const p = letters()
    p.configure('q', { deadLetter: { partition: 8, queue: 2, name: 'other' } })
    expect(lanes(p)).toEqual([['7/4', '1:1 2:2 3:3']])
  })
  it('follows the setting of each subscription for itself', () => {
    const p = given()
    p.ok({
      type: 'CreateSubscription',
      queue: 'q',
      subscription: 'own',
      settings: { deadLetter: target },
      by,
    })
    p.send('q')
    for (const subscription of ['main', 'own']) p.settle('DeadLetter', p.receive('q', { subscription })!)
    const other = { partition: 8, queue: 2, name: 'other' }
    said(p, gone())
    p.ok({
      type: 'ConfigureSubscription',
      queue: 'q',
      subscription: 'own',
      settings: { deadLetter: other },
      by,
    })
    expect(lanes(p)).toEqual([
      ['7/4', '1:1 2:2'],
      ['8/2', '1:2'],
    ])
    said(p, gone({ again: 9 }))
    expect(lanes(p)).toEqual([
      ['8/2', '1:2'],
      ['7/9', '1:1 2:2'],
    ])
    expect(p.state.names.get('q')!.config.deadLetter).toEqual({ ...target, queue: 9 })
    expect(p.state.names.get('q')!.named('own')!.config.deadLetter).toEqual(other)
  })
  it('readdresses the letters of a queue that was deleted itself', () => {
    const p = letters()
    p.ok({ type: 'DeleteQueue', queue: 'q', by })
    said(p, gone({ again: 9 }))
    expect(lanes(p)).toEqual([['7/9', '1:1 2:2 3:3']])
  })
  it('forgets the lanes of a queue that is deleted, when the last of its letters has arrived', () => {
    const p = letters()
    p.ok({ type: 'DeleteQueue', queue: 'q', by })
    said(p, { outcome: 'stored', upTo: 3 })
    expect(lanes(p)).toEqual([['7/4', '3:3']])
    said(p, { outcome: 'stored', upTo: 4 })
    expect(p.events).toMatchObject([
      { type: 'Forwarded' },
      { type: 'LanesClosed', source: 1, targets: [7, 4] },
    ])
    expect([p.state.outbox.size, p.state.firstForward]).toEqual([0, 5])
  })
  it('does not grow where queues with dead letters come and go', () => {
    const p = new TestPartition()
    for (let source = 1; source <= 20; source++) {
      p.create('q', { deadLetter: target })
      p.send('q', 2)
      p.settle('DeadLetter', p.receive('q')!)
      const lane = p.state.outbox.get(laneKey(source, address))!
      expect(lane.entries.map(({ forward }) => forward)).toEqual([3 * source - 2, 3 * source - 1])
      // Some are deleted with letters on their way, some without.
      const arrive = (): void =>
        p.act((turn) => decideForwarded(turn, lane, { outcome: 'stored', upTo: lane.next }))
      if (source % 2 === 0) arrive()
      p.ok({ type: 'DeleteQueue', queue: 'q', by })
      if (source % 2 === 1) arrive()
      expect(p.state.outbox.size).toBe(0)
    }
  })
  it('never uses the number of a forward again, also of a lane that it forgot', () => {
    const p = letters()
    said(p, gone({ stored: 3, again: 9 }))
    expect(p.state.outbox.has(laneKey(1, address))).toBe(false)
    p.send('q')
    p.configure('q', { deadLetter: target })
    p.settle('DeadLetter', p.receive('q')!)
    expect(lanes(p)).toEqual([
      ['7/9', '1:3'],
      ['7/4', '5:4'],
    ])
  })
  it('still knows the name of a target, and what it waits for, behind a checkpoint', () => {
    const p = letters()
    p.configure('q', { deadLetter: null })
    const fork = p.fork()
    said(fork, gone({ again: 9 }))
    expect(lanes(fork)).toEqual([['7/9', '1:1 2:2 3:3']])
  })
  /** What a checkpoint takes up of old frames, with the bodies that lie there. */
  const old = (p: TestPartition) => {
    const taken = snapshot(p.state)
    const carried = lettersBefore(taken, p.state.frameSeq + 1, 10).map((of) => ({
      old: of,
      bodies: p.bodies.get(`${of.seq}/${of.queue}`)!.slice(of.index, of.index + of.count),
    }))
    return { carried, seq: taken.seq }
  }
  const bodies = (p: TestPartition) =>
    lane(p)!.entries.map(({ seq, index }) => p.bodies.get(`${seq}/1`)![index]![3])
  it('has bodies stored again from an old frame, each under its letter', () => {
    const p = given({}, 6)
    p.settle('DeadLetter', p.receive('q')!, { numbers: [5, 2, 3] })
    const before = bodies(p)
    const { carried, seq } = old(p)
    expect(carried.map((each) => [each.old.first, each.old.count])).toEqual([
      [1, 1],
      [2, 2],
    ])
    p.act((turn) => decideCarry(turn, carried, seq))
    expect(p.events).toEqual([
      { type: 'LettersCarried', source: 1, target: address, forwards: [1, 3], index: 0 },
    ])
    expect(before).toEqual([5, 2, 3])
    expect(lane(p)!.entries.map((e) => [e.seq, e.index])).toEqual([0, 1, 2].map((i) => [p.state.frameSeq, i]))
    expect(bodies(p)).toEqual(before)
  })
  it('has no body stored again of what has arrived or went elsewhere meanwhile', () => {
    const p = letters()
    const { carried, seq } = old(p)
    said(p, { outcome: 'stored', upTo: 2 })
    p.act((turn) => decideCarry(turn, carried, seq))
    expect(p.events).toMatchObject([{ type: 'LettersCarried', forwards: [2, 2] }])
    said(p, gone({ stored: 2, again: 9 }))
    p.act((turn) => decideCarry(turn, carried, seq))
    expect(p.events).toEqual([])
  })
  it('has bodies stored again beside those that its queue gets in the same frame', () => {
    const p = letters()
    p.send('q')
    const { carried, seq } = old(p)
    const live = bodiesBefore(snapshot(p.state), p.state.frameSeq + 1).map((of) => ({
      old: of,
      bodies: p.bodies.get(`${of.seq}/1`)!.slice(of.index, of.index + of.count),
    }))
    const before = bodies(p)
    p.act((turn) => decideCarry(turn, [...carried, ...live], seq))
    expect(p.events).toMatchObject([{ type: 'BodiesCarried' }, { type: 'LettersCarried', index: 1 }])
    expect(bodies(p)).toEqual(before)
    const { seqs, indexes } = p.receive('q')!
    expect([seqs[0], indexes[0]]).toEqual([lane(p)!.entries[0]!.seq, 0])
  })
  it('keeps the dead letters of a queue that is deleted', () => {
    const p = given()
    p.settle('DeadLetter', p.receive('q')!)
    p.ok({ type: 'DeleteQueue', queue: 'q', by })
    expect(lane(p)!.entries.length).toBe(1)
  })
})

describe('a queue that others name as their dead-letter queue', () => {
  const named = (): TestPartition => {
    const p = new TestPartition()
    const deadLetter = { partition: 3, queue: p.create('dead'), name: 'dead' }
    p.create('q')
    p.ok({ type: 'CreateSubscription', queue: 'q', subscription: 's', settings: { deadLetter }, by })
    p.create('mail', { deadLetter })
    return p
  }
  it('is not deleted, and the error says who they are', () => {
    const p = named()
    expect(p.ask({ type: 'DeleteQueue', queue: 'dead', by }).error).toMatchObject({
      id: 'QueueInUse',
      message: 'queue "dead" is the dead-letter queue of "mail", "q"',
    })
    expect(p.events).toEqual([])
    p.configure('mail', { deadLetter: null })
    p.ok({ type: 'DeleteSubscription', queue: 'q', subscription: 's', by })
    p.ok({ type: 'DeleteQueue', queue: 'dead', by })
  })
  it('is deleted by force, and what names it stays as it is', () => {
    const p = named()
    p.ok({ type: 'DeleteQueue', queue: 'dead', force: true, by })
    expect(p.state.names.has('dead')).toBe(false)
    expect(p.state.names.get('mail')!.config.deadLetter?.name).toBe('dead')
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
