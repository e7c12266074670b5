import { defaultQueueConfig, encodeEnvelope, inForce, limits } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { oldestBodySeq, restore, snapshot, SnapshotSpace, snapshotting, stateHash } from '../index.ts'
import { toEnd } from '../store/toEnd.ts'
import { numbersOf, TestPartition } from '../testing/TestPartition.ts'

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

const sendOf = (producer: string, send: number) =>
  ({ type: 'Enqueue', queue: 'b', producer, send, messages: [new Uint8Array(5)] }) as const

describe('a snapshot', () => {
  it('restores to an equal state', () => {
    const { state } = busy()
    expect(stateHash(snapshot(restore(snapshot(state))))).toBe(stateHash(snapshot(state)))
  })
  it('of a version that did not count redeliveries has none, and no total that is not a number', () => {
    const taken = snapshot(busy().state)
    const older = {
      ...taken,
      queues: taken.queues.map((q) => ({
        ...q,
        subs: q.subs.map((sub) => ({ ...sub, counts: sub.counts.slice(0, 6) })),
      })),
    }
    const p = new TestPartition(restore(structuredClone(older)), restore(structuredClone(older)))
    expect(p.counts('a')).toMatchObject({ redelivered: 0, committed: 1 })
    p.settle('Release', p.receive('a')!)
    p.receive('a')
    expect(p.counts('a').redelivered).toBeGreaterThan(0)
  })
  it('is the same again of the state that it restores to, with all that only some states have', () => {
    const by = { name: 'tester', origin: 'test' }
    const p = busy()
    p.create('c', { groups: 'ordered', dedup: 'id', erasable: 'message' })
    for (let n = 1; n <= 2; n++)
      p.ok({
        type: 'Enqueue',
        queue: 'c',
        producer: 'c',
        send: n,
        messages: [encodeEnvelope(Uint8Array.of(n))],
        groups: ['g'],
        dedupIds: [`${n}`],
      })
    const held = p.receive('c', { max: 1, attempt: 'y' })!
    p.settle('Release', held, { delayMs: 900, holdSubscription: true })
    p.ok({ type: 'ResumeDelivery', queue: 'c', by })
    p.settle('Release', p.receive('a', { max: 1 })!, { delayMs: 900, holdSubscription: true })
    p.receive('c', { max: 1, attempt: 'x' })
    const sub = { type: 'CreateSubscription', queue: 'c', subscription: 's', settings: {}, by } as const
    p.ok({ ...sub, start: 'earliest' })
    p.fill(p.state.names.get('c')!.named('s')!, 1)
    p.create('d')
    for (let n = 1; n <= 2; n++) p.send('d')
    p.ok({ ...sub, queue: 'd', start: 'earliest' })
    p.fill(p.state.names.get('d')!.named('s')!, 1)
    const id = (name: string) => p.state.names.get(name)!.id
    p.record(
      { type: 'Repaired', from: 1, upTo: 1, hash: 'ab', skip: 10, note: '', by },
      { type: 'ForeignRecordSkipped', seq: 3 },
      { type: 'Erased', queue: id('c'), erasure: 1, numbers: [1, 1], by },
      { type: 'PartLeft', home: { partition: 2, queue: 1 }, revision: 7 },
      { type: 'Checkpointed', seq: 2, digest: 'd', stateHash: 's' },
      { type: 'ClockResumed', now: p.now, gapMs: 0, dispute: { storeMs: p.now + 9e8, nodeMs: p.now } },
    )
    p.ok({ type: 'PurgeQueue', queue: 'a', by })
    p.state.names.get('b')!.editedSeq = p.replica.names.get('b')!.editedSeq = 9
    const taken = snapshot(p.state)
    expect(taken).toMatchObject({ bridgedSeq: expect.any(Number) as number, left: [['2/1', 7]] })
    const again = snapshot(restore(structuredClone(taken)))
    expect(stateHash(again)).toBe(stateHash(taken))
    // What nobody looks at in the slots of live messages may be another.
    expect({ ...again, live: undefined }).toEqual({ ...taken, live: undefined })
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
      const space = toEnd(SnapshotSpace.make(p.state))
      for (let left = since; left > 0; left -= 1_000) {
        p.send('b', Math.min(left, 1_000))
        p.receive('b', { max: 1_000 })
      }
      const taken = toEnd(snapshotting(p.state, space))
      expect(stateHash(structuredClone(taken))).toBe(stateHash(snapshot(p.state)))
      expect(taken.live.number.buffer === space.live.number.buffer).toBe(since < 100)
    },
  )
  it('is of the moment when it began, whatever happens before it is done', () => {
    const p = busy()
    p.turn(...Array.from({ length: 300 }, (_, i) => sendOf(`p${i}`, 1)))
    const before = stateHash(snapshot(p.state))
    const taking = snapshotting(p.state)
    taking.next()
    for (let send = 1; send <= 70; send++)
      p.turn(...Array.from({ length: 50 }, (_, i) => sendOf(`p${i}`, send)))
    p.now += limits.producerIdleMs
    p.ok(sendOf('last', 1))
    p.settle('Ack', p.receive('a')!)
    p.pass(1_000)
    expect(stateHash(toEnd(taking))).toBe(before)
    expect(stateHash(snapshot(p.state))).not.toBe(before)
  })
  it.each(['ordered', 'fair'] as const)('has %s groups as they were when it began', (groups) => {
    const p = new TestPartition()
    p.create('q', { groups })
    const send = (number: number): void => {
      const messages = Array.from({ length: 400 }, () => new Uint8Array(5))
      const names = messages.map((_, i) => `g${i % 130}`)
      p.ok({ type: 'Enqueue', queue: 'q', producer: 'a', send: number, messages, groups: names })
    }
    send(1)
    const d = p.receive('q', { max: 300 })!
    p.settle('Retry', d, { numbers: numbersOf(d.numbers).slice(0, 40) })
    const before = stateHash(snapshot(p.state))
    const taking = snapshotting(p.state)
    taking.next()
    p.settle('Ack', d, { numbers: numbersOf(d.numbers).slice(40, 200) })
    send(2)
    p.receive('q', { max: 300 })
    const taken = toEnd(taking)
    expect(stateHash(taken)).toBe(before)
    expect(stateHash(snapshot(restore(taken)))).toBe(before)
    expect(stateHash(snapshot(p.state))).not.toBe(before)
    const live = taken.queues[0]!.subs[0]!.groups!.flatMap((group) => group.live)
    expect(live.sort((a, b) => a - b)).toEqual(numbersOf(d.numbers).sort((a, b) => a - b))
  })
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
    expect(snapshot(p.state).queues[0]!.config).toEqual({
      ...inForce(defaultQueueConfig, 0),
      leaseMs: 5,
      retriesMax: 1,
    })
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
