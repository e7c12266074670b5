import { limits, type QueueConfig, type UndeliveredItem } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { decide, restore, snapshot, stateHash } from '../index.ts'
import { numbersOf, TestPartition } from '../testing/TestPartition.ts'

const by = { name: 'tester', origin: 'test' }
const attempt = 'a'

const given = (config: Partial<QueueConfig> = {}, messages = 5): TestPartition => {
  const p = new TestPartition()
  p.create('q', config)
  if (messages > 0) p.send('q', messages)
  return p
}
const restarted = (p: TestPartition): TestPartition => {
  const next = new TestPartition(restore(structuredClone(snapshot(p.state))), restore(snapshot(p.state)))
  next.now = p.now
  return next
}

it('what receives got is counted by subscription, and forgotten with it', () => {
  const p = given()
  for (let i = 0; i < 5; i++) p.receive('q', { max: 1, attempt: `${i}` })
  p.create('other', {})
  p.send('other', 2)
  for (const id of ['x', 'y']) p.receive('other', { max: 1, attempt: id })
  const [sub, other] = ['q', 'other'].map((name) => p.state.names.get(name)!.subs[0]!)
  expect([sub!.attemptsNoted, other!.attemptsNoted]).toEqual([5, 2])
  p.ok({ type: 'DeleteQueue', queue: 'other', by })
  expect([sub!.attemptsNoted, other!.attemptsNoted]).toEqual([5, 0])
  expect(p.state.attempts.all.map((note) => note.sub)).toEqual([sub, sub, sub, sub, sub])
})

describe('a receive that is repeated with its attempt id', () => {
  it('gets the same batch again, under new leases, as the same delivery', () => {
    const p = given()
    const first = p.receive('q', { max: 2, attempt })!
    p.pass(20_000)
    const again = p.receive('q', { max: 2, attempt, leaseMs: 45_000 })!
    expect(again).toEqual({
      ...first,
      firstAt: [first.now, first.now],
      now: p.now,
      leaseUntil: p.now + 45_000,
      isRepeat: true,
    })
    expect(p.events).toMatchObject([
      { type: 'LeaseExtended', numbers: [1, 2], leaseUntil: p.now + 45_000, attempt },
    ])
    expect(p.pass(44_999)).toEqual([])
    expect(p.settle('Ack', again)).toEqual([])
    expect(p.counts('q')).toMatchObject({ committed: 2, available: 3, redelivered: 0 })
  })
  it('gets what is still held of it, in the same order', () => {
    const p = given()
    p.settle('Release', p.receive('q', { max: 2 })!, { numbers: [2] })
    const first = p.receive('q', { attempt })!
    expect(numbersOf(first.numbers)).toEqual([2, 3, 4, 5])
    p.settle('Ack', first, { numbers: [3] })
    p.settle('Retry', first, { numbers: [5], delayMs: 60_000 })
    const again = p.receive('q', { attempt })!
    expect(again.numbers).toEqual([2, 1, 4, 1])
    expect(again.attempts).toEqual([1, 1])
    expect(again.enqueuedAt).toHaveLength(2)
    expect(p.settle('Ack', again)).toEqual([])
  })
  it('gets it whatever else it asks for, also while the queue is paused', () => {
    const p = given()
    p.receive('q', { max: 3, attempt })
    p.ok({ type: 'PauseDelivery', queue: 'q', by })
    expect(p.receive('q', { max: 1, bytesMax: 1, waitMs: 9, attempt })!.numbers).toEqual([1, 3])
  })
  it('gets another batch when nothing of the first is held any more, and that one again', () => {
    const p = given()
    p.settle('Ack', p.receive('q', { max: 2, attempt })!)
    expect(p.receive('q', { max: 2, attempt })!.numbers).toEqual([3, 2])
    expect(p.receive('q', { max: 2, attempt })!.numbers).toEqual([3, 2])
    p.pass(30_000)
    expect(p.receive('q', { max: 2, attempt })!).toMatchObject({ numbers: [3, 2], attempts: [2, 2] })
  })
  it('gets no message that somebody else holds by now', () => {
    const p = given({}, 1)
    p.receive('q', { attempt, leaseMs: 1_000 })
    p.pass(1_000)
    const other = p.receive('q')!
    expect(p.receive('q', { attempt })).toBeUndefined()
    expect(p.settle('Ack', other)).toEqual([])
  })
  it('gets another batch after five minutes, to the millisecond', () => {
    const p = given()
    p.receive('q', { max: 1, attempt, leaseMs: 3_600_000 })
    p.pass(limits.attemptMs - 1)
    expect(p.receive('q', { max: 1, attempt, leaseMs: 3_600_000 })!.numbers).toEqual([1, 1])
    p.pass(1)
    expect(p.receive('q', { max: 1, attempt, leaseMs: 3_600_000 })!.numbers).toEqual([2, 1])
  })
  it('gets it from another owner, also from one that began with a snapshot', () => {
    const p = given()
    const first = p.receive('q', { max: 2, attempt })!
    const next = restarted(p)
    expect(next.receive('q', { max: 2, attempt })!).toMatchObject({
      delivery: first.delivery,
      numbers: first.numbers,
    })
  })
  it('gets no longer leases than their cap allows, and another batch when that is reached', () => {
    const p = given({ leaseCapMs: 40_000 })
    const first = p.receive('q', { max: 1, attempt })!
    p.pass(25_000)
    expect(p.receive('q', { max: 1, attempt })!.leaseUntil).toBe(first.now + 40_000)
    p.pass(15_000)
    expect(p.receive('q', { max: 1, attempt })!.numbers).toEqual([1, 1])
    expect(p.counts('q')).toMatchObject({ redelivered: 1 })
  })
  it('gets it under leases that outlast their cap, and those stay as they are', () => {
    const p = given({ leaseCapMs: 40_000, leaseMs: 40_000 })
    p.receive('q', { max: 1, attempt })
    p.pass(30_000)
    p.now += 20_000
    p.record(
      { type: 'OwnerChanged', epoch: 2, node: 'n', part: 1, of: 1 },
      { type: 'ClockResumed', now: p.now, gapMs: 20_000 },
    )
    p.pass(5_000)
    expect(p.receive('q', { max: 9, attempt })).toMatchObject({ numbers: [1, 1], leaseUntil: p.now + 5_000 })
    expect(p.events).toEqual([])
  })
  it('takes the place of the one that waits', () => {
    const p = given({}, 0)
    const first = p.poll('q', { waitMs: 60_000, attempt })
    const second = p.poll('q', { waitMs: 60_000, attempt })
    expect(p.got(first)).toBe('nothing')
    p.send('q')
    expect(p.got(second)).toEqual([1])
    expect(p.own.of(p.state.subscriptions[0]!).byAttempt.size).toBe(0)
  })
  it('keeps a batch whose first reply turns out to have reached nobody, and releases it when the last one did not either', () => {
    const p = given({}, 2)
    const undelivered = (delivery: UndeliveredItem, token: number): void =>
      p.act((turn) => decide(turn, { type: 'ReleaseUndelivered', items: [delivery] }, token))
    const first = p.receive('q', { attempt })!
    p.pass(5)
    const again = p.receive('q', { attempt })!
    undelivered(first, -1)
    expect(p.counts('q')).toMatchObject({ inflight: 2, available: 0 })
    undelivered(again, -2)
    expect(p.counts('q')).toMatchObject({ inflight: 0, available: 2 })
    expect(p.receive('q', { attempt })!.attempts).toEqual([1, 1])
  })
  it('is one of its own under another subscription, and after a reset', () => {
    const p = given({}, 0)
    p.ok({ type: 'CreateSubscription', queue: 'q', subscription: 's', settings: {}, by })
    p.send('q', 3)
    p.receive('q', { max: 1, attempt })
    p.receive('q', { max: 2, attempt, subscription: 's' })
    expect(p.receive('q', { max: 9, attempt })!.numbers).toEqual([1, 1])
    expect(p.receive('q', { max: 9, attempt, subscription: 's' })!.numbers).toEqual([1, 2])
    p.ok({ type: 'ResetSubscription', queue: 'q', subscription: 's', by })
    p.send('q')
    expect(p.receive('q', { max: 9, attempt, subscription: 's' })!.numbers).toEqual([4, 1])
  })
  it('may ask for nothing else', () => {
    const p = given()
    expect(p.receive('q', { attempt, heldOnly: true })).toBeUndefined()
    p.receive('q', { max: 1, attempt })
    expect(p.receive('q', { attempt, heldOnly: true })!.numbers).toEqual([1, 1])
  })
  it('names itself by no more than 128 characters', () => {
    const p = given()
    const command = { type: 'Receive', queue: 'q', poll: 'p', max: 1, mode: 'push', consumer: 'c' } as const
    expect(p.ask({ ...command, attempt: 'x'.repeat(129) }).error).toMatchObject({ id: 'InvalidArgument' })
  })
})

describe('what receives got', () => {
  it('is remembered for about as many as hold something, however many came by', () => {
    const p = given({ batchBytes: 1_000_000 }, 0)
    const held = []
    for (let i = 0; i < 400; i++) {
      p.send('q')
      const delivery = p.receive('q', { attempt: `attempt ${i}`, leaseMs: 3_600_000 })!
      if (i % 20 === 0) held.push({ i, delivery })
      else p.settle('Ack', delivery)
    }
    expect([...p.state.attempts.all].length).toBeLessThan(3 * held.length)
    for (const { i, delivery } of held)
      expect(p.receive('q', { attempt: `attempt ${i}` })!.numbers).toEqual(delivery.numbers)
  })
  it('costs nothing where no receive has an attempt id', () => {
    const p = given()
    p.receive('q')
    expect(p.events[0]).not.toHaveProperty('attempt')
    expect(snapshot(p.state)).not.toHaveProperty('attempts')
  })
  it('is part of the state', () => {
    const one = given()
    const other = given()
    one.receive('q', { attempt })
    other.receive('q', { attempt: 'b' })
    expect(stateHash(snapshot(one.state))).not.toBe(stateHash(snapshot(other.state)))
  })
})
