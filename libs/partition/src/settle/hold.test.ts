import { limits, type CommandOf, type Hold } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { describeQueues, type PlannedDelivery } from '../index.ts'
import { itemOf, numbersOf, TestPartition } from '../testing/TestPartition.ts'

const by = { name: 'tester', origin: 'test' }

const given = (config = {}, count = 3): { p: TestPartition; d: PlannedDelivery } => {
  const p = new TestPartition()
  p.create('q', config)
  p.send('q', count)
  return { p, d: p.receive('q', { max: 1, leaseMs: 60_000 })! }
}

const holdOf = (p: TestPartition, subscription = 'main'): Hold | undefined =>
  describeQueues(p.state, [p.state.names.get('q')!], p.now)[0]!.subscriptions.find(
    ({ name }) => name === subscription,
  )!.hold

describe('a release with a delay', () => {
  it('gives the attempt back and makes the message wait, as often as it is said', () => {
    const { p } = given({ retriesMax: 0, deadLetter: { partition: 1, queue: 1, name: 'dead' } }, 1)
    p.pass(60_000)
    p.send('q')
    for (let i = 0; i < 20; i++) {
      const d = p.receive('q', { leaseMs: 1_000 })!
      expect(d.attempts).toEqual([1])
      expect(p.settle('Release', d, { delayMs: 500, error: '429' })).toEqual([])
      expect(p.events).toEqual([
        { type: 'Deferred', queue: 1, sub: 0, numbers: [2, 1], dueAt: p.now + 500, error: '429' },
      ])
      expect(p.counts('q').waitingRetry).toBe(1)
      expect(p.pass(499)).toEqual([])
      expect(p.pass(1).map((e) => e.type)).toEqual(['RetryDue'])
    }
    expect(p.counts('q')).toMatchObject({ available: 1, deadLettered: 1 })
  })
  it('of 0 makes it available at once, with its reason on record', () => {
    const { p, d } = given()
    p.settle('Release', d, { delayMs: 0, error: 'busy' })
    expect(p.events).toMatchObject([{ type: 'Deferred', dueAt: 0, error: 'busy' }])
    expect(p.receive('q')!.attempts).toEqual([1, 1, 1])
  })
  it('is a plain release without a delay and a reason', () => {
    const { p, d } = given()
    p.settle('Release', d)
    expect(p.events).toMatchObject([{ type: 'Released', cause: 'client' }])
  })
  it('that comes late, or with the handle of another delivery, is refused', () => {
    const { p, d } = given()
    p.pass(60_000)
    expect(p.settle('Release', d, { delayMs: 500, holdSubscription: true })).toEqual(['ReceiptExpired'])
    expect(holdOf(p)).toBeUndefined()
  })
  it('beyond the longest delay is refused', () => {
    const { p, d } = given()
    const command: CommandOf<'Release'> = { type: 'Release', items: [itemOf(d)] }
    for (const delayMs of [limits.delayMsMax + 1, -1, 0.5])
      expect(p.ask({ ...command, delayMs }).error).toMatchObject({ id: 'InvalidArgument' })
    expect(p.ok({ ...command, delayMs: limits.delayMsMax }).refused).toEqual([])
  })
  it('ends by retention, however often it is said', () => {
    const { p, d } = given({ retentionMs: 5_000 }, 1)
    let last = d
    for (let i = 0; i < 4; i++) {
      p.settle('Release', last, { delayMs: 1_000 })
      p.pass(1_000)
      last = p.receive('q')!
    }
    p.settle('Release', last, { delayMs: 2_000 })
    expect(p.pass(2_000)).toMatchObject([{ type: 'RetryDue' }, { type: 'Discarded', reason: 'expired' }])
  })
  it('keeps the messages of its group behind it, and no others', () => {
    const p = new TestPartition()
    p.create('q', { groups: 'ordered' })
    const send = (group: string, send: number) =>
      p.ok({
        type: 'Enqueue',
        queue: 'q',
        producer: 'p',
        send,
        messages: [new Uint8Array(5)],
        groups: [group],
      })
    for (const [i, group] of ['g', 'g', 'h'].entries()) send(group, i + 1)
    p.settle('Release', p.receive('q', { max: 1 })!, { delayMs: 500 })
    expect(numbersOf(p.receive('q')!.numbers)).toEqual([3])
    p.pass(500)
    const next = p.receive('q')!
    expect([numbersOf(next.numbers), next.attempts]).toEqual([
      [1, 2],
      [1, 1],
    ])
  })
})

describe('a hold', () => {
  const held = { delayMs: 1_000, error: '429', holdSubscription: true }

  it('lets nothing of the subscription out until its time, and wakes who waits', () => {
    const { p, d } = given()
    p.settle('Release', d, held)
    const { now } = p
    expect(holdOf(p)).toEqual({ since: now, until: now + 1_000, error: '429' })
    const poll = p.poll('q', { waitMs: 10_000 })
    p.pass(999)
    expect(p.got(poll)).toBeUndefined()
    p.pass(1)
    expect(p.got(poll)).toEqual([1, 2, 3])
    expect(holdOf(p)).toBeUndefined()
  })
  it('wakes who waits where nothing else is due, too', () => {
    const { p, d } = given()
    p.settle('Release', d, { ...held, delayMs: 5_000 })
    p.ok({ type: 'PurgeQueue', queue: 'q', by })
    p.send('q')
    const poll = p.poll('q', { waitMs: 10_000 })
    p.pass(5_000)
    expect(p.got(poll)).toEqual([4])
  })
  it('leaves other subscriptions, sends and settling alone', () => {
    const { p, d } = given()
    p.ok({ type: 'CreateSubscription', queue: 'q', subscription: 's', settings: {}, by })
    p.send('q')
    const other = p.receive('q', { max: 1 })!
    p.settle('Release', d, held)
    expect(p.settle('Ack', other)).toEqual([])
    expect(p.receive('q', { subscription: 's' })!.numbers).toEqual([4, 1])
    expect(p.receive('q')).toBeUndefined()
  })
  it('is made longer by a later one, and never shorter', () => {
    const { p, d } = given()
    const second = p.receive('q', { max: 1 })!
    const third = p.receive('q', { max: 1 })!
    const until = p.now + 1_000
    p.settle('Release', d, held)
    p.settle('Release', second, { delayMs: 300, error: 'short', holdSubscription: true })
    expect(p.events.map((e) => e.type)).toEqual(['Deferred'])
    expect(holdOf(p)).toMatchObject({ until, error: '429' })
    p.pass(500)
    p.settle('Release', third, { ...held, error: 'long' })
    expect(holdOf(p)).toMatchObject({ until: until + 500, error: 'long' })
  })
  it('is not made by a release without one, nor by a receipt that names nothing', () => {
    const { p, d } = given()
    p.settle('Release', d, { delayMs: 1_000 })
    expect(holdOf(p)).toBeUndefined()
    const astray = { ...itemOf(d), numbers: [77, 1] }
    p.ok({ type: 'Release', items: [astray], delayMs: 1_000, holdSubscription: true })
    expect(holdOf(p)).toBeUndefined()
  })
  it('needs to say how long', () => {
    const { p, d } = given()
    for (const delayMs of [undefined, 0])
      expect(
        p.ask({
          type: 'Release',
          items: [itemOf(d)],
          holdSubscription: true,
          ...(delayMs === undefined ? {} : { delayMs }),
        }).error,
      ).toMatchObject({ id: 'InvalidArgument' })
    expect(p.counts('q').inflight).toBe(1)
  })
  it('ends early by a resume of the queue or of the subscription, of nobody else', () => {
    for (const subscription of [undefined, 'main']) {
      const { p, d } = given()
      p.ok({ type: 'CreateSubscription', queue: 'q', subscription: 's', settings: {}, by })
      p.settle('Release', d, held)
      p.ok({ type: 'ResumeDelivery', queue: 'q', subscription: 's', by })
      expect(holdOf(p)).toBeDefined()
      const poll = p.poll('q', { waitMs: 10_000 })
      p.ok({
        type: 'ResumeDelivery',
        queue: 'q',
        ...(subscription === undefined ? {} : { subscription }),
        by,
      })
      expect([holdOf(p), p.got(poll)]).toEqual([undefined, [2, 3]])
    }
  })
  it('leaves a pause as it is, and is left by one', () => {
    const { p, d } = given()
    p.settle('Release', d, held)
    p.ok({ type: 'PauseDelivery', queue: 'q', by })
    p.pass(1_000)
    expect(p.receive('q')).toBeUndefined()
    p.ok({ type: 'ResumeDelivery', queue: 'q', by })
    expect(p.receive('q')).toBeDefined()
  })
  it('outlives a reset of the subscription and a new owner', () => {
    const { p, d } = given()
    p.settle('Release', d, held)
    p.ok({ type: 'ResetSubscription', queue: 'q', subscription: 'main', start: 'latest', by })
    p.send('q')
    const next = p.fork()
    const poll = next.poll('q', { waitMs: 10_000 })
    next.pass(999)
    expect(next.got(poll)).toBeUndefined()
    next.pass(1)
    expect(next.got(poll)).toEqual([4])
  })
  it('goes with its queue', () => {
    const { p, d } = given()
    p.settle('Release', d, held)
    p.ok({ type: 'DeleteQueue', queue: 'q', by })
    expect(p.pass(5_000)).toEqual([])
  })
  it('that began while clocks disagreed lasts as long as was asked for', () => {
    const { p, d } = given({ leaseMs: 3_600_000 })
    p.record({ type: 'ClockResumed', now: p.now, gapMs: 0, dispute: { storeMs: p.now + 9e8, nodeMs: p.now } })
    const second = p.receive('q', { max: 1, leaseMs: 3_600_000 })!
    p.settle('Release', second, held)
    p.step(3_600_000)
    expect(p.receive('q')).toBeUndefined()
    p.pass(1_000)
    expect(p.receive('q')).toBeDefined()
    expect(d.numbers).toEqual([1, 1])
  })
})
