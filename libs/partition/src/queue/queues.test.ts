import { checkQueueName, defaultQueueConfig, limits, type QueueConfig } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { restore, snapshot } from '../index.ts'
import { TestPartition } from '../testing/TestPartition.ts'

const by = { name: 'tester', origin: 'test' }
const create = (p: TestPartition, config: object, queue = 'q') =>
  p.ask({ type: 'CreateQueue', queue, config: config as Partial<QueueConfig>, by })

describe('creating a queue', () => {
  it('fills what is not named with the defaults', () => {
    const p = new TestPartition()
    expect(create(p, { leaseMs: 5 })).toEqual({ ok: { queue: 1, created: true } })
    expect(p.ok({ type: 'DescribeQueue', queue: 'q' }).config).toEqual({ ...defaultQueueConfig, leaseMs: 5 })
  })
  it('that is there already with the same settings changes nothing', () => {
    const p = new TestPartition()
    create(p, { retry: { kind: 'exponential', baseMs: 1, factor: 2, maxMs: 9, jitter: 0 } })
    const same = { retry: { jitter: 0, maxMs: 9, factor: 2, baseMs: 1, kind: 'exponential' } }
    expect(create(p, same)).toEqual({ ok: { queue: 1, created: false } })
    expect(p.events).toEqual([])
  })
  it('that is there already with other settings is refused', () => {
    const p = new TestPartition()
    create(p, {})
    expect(create(p, { leaseMs: 5 }).error?.id).toBe('QueueExists')
  })
  it('beyond the most that there may be is refused at once: no pause makes room', () => {
    const p = new TestPartition()
    const names = Array.from({ length: limits.queuesMax }, (_, i) => `q${i}`)
    p.turn(...names.map((queue) => ({ type: 'CreateQueue', queue, config: {}, by }) as const))
    expect(create(p, {}, 'one-more').error).toMatchObject({
      id: 'LimitReached',
      message:
        'partition 3 has 10,000 queues, which is the most: delete some, or use a log with more partitions',
    })
  })
  it('or a subscription of one that has its most is refused', () => {
    const p = new TestPartition()
    create(p, {})
    const subscribe = (i: number) =>
      ({ type: 'CreateSubscription', queue: 'q', subscription: `s${i}`, settings: {}, by }) as const
    p.turn(...Array.from({ length: limits.subscriptionsPerQueueMax - 1 }, (_, i) => subscribe(i)))
    expect(p.ask(subscribe(1_000)).error).toMatchObject({ id: 'LimitReached' })
  })
  it('takes a setting that is undefined for one that is not named', () => {
    const p = new TestPartition()
    expect(create(p, { retry: undefined, leaseMs: undefined, deadLetter: undefined }).ok).toBeDefined()
    expect(p.ok({ type: 'DescribeQueue', queue: 'q' }).config).toEqual(defaultQueueConfig)
  })
  it.each(['', 'a b', 'ä', 'x'.repeat(81), 'a/b', '.fifo', 'a.fifo.fifo'])(
    'refuses the name "%s"',
    (name) => {
      expect(create(new TestPartition(), {}, name).error?.id).toBe('InvalidQueueName')
    },
  )
  it('refuses a name that records lose as a key, for queues and subscriptions', () => {
    const p = new TestPartition()
    expect(create(p, {}, '__proto__').error?.id).toBe('InvalidQueueName')
    create(p, {})
    const subscription = { type: 'CreateSubscription', subscription: '__proto__', settings: {} } as const
    expect(p.ask({ ...subscription, queue: 'q', by }).error?.id).toBe('InvalidQueueName')
  })
  it.each(['a', 'A-b_9', 'x'.repeat(80), 'orders.fifo'])('takes the name "%s"', (name) => {
    expect(() => checkQueueName(name)).not.toThrow()
  })
})

describe('a dry run', () => {
  it('answers as the change would, and changes nothing', () => {
    const p = new TestPartition()
    const dry = { queue: 'q', by, dryRun: true }
    expect(p.ok({ type: 'CreateQueue', config: {}, ...dry })).toEqual({ queue: 1, created: true })
    expect(p.ask({ type: 'CreateQueue', config: { leaseMs: 0 }, ...dry }).error?.id).toBe('InvalidConfig')
    expect(p.state.queues.size).toBe(0)
    create(p, {})
    expect(p.ok({ type: 'ConfigureQueue', config: { leaseMs: 5 }, ...dry })).toEqual({ queue: 1 })
    expect(p.events).toEqual([])
    expect(p.ok({ type: 'DescribeQueue', queue: 'q' }).config).toEqual(defaultQueueConfig)
  })
})

describe('a section of a file', () => {
  const section = (p: TestPartition, digest: string, config: Partial<QueueConfig>, source = 'kiroku.jsonc') =>
    p.ask({ type: 'ConfigureQueue', queue: 'q', config, by, applied: { source, digest } })
  const leaseOf = (p: TestPartition): number => p.ok({ type: 'DescribeQueue', queue: 'q' }).config.leaseMs

  it('is applied once, so that a later change stays', () => {
    const p = new TestPartition()
    const applied = { source: 'kiroku.jsonc', digest: 'a' }
    p.ok({ type: 'CreateQueue', queue: 'q', config: { leaseMs: 1_000 }, by, applied })
    expect(p.ok({ type: 'DescribeQueue', queue: 'q' }).applied).toEqual({ 'kiroku.jsonc': 'a' })
    p.configure('q', { leaseMs: 2_000 })
    section(p, 'a', { leaseMs: 1_000 })
    expect(p.events).toEqual([])
    expect(leaseOf(p)).toBe(2_000)
  })
  it('is applied again when it says something else, also what it said before that', () => {
    const p = new TestPartition()
    create(p, {})
    for (const [digest, leaseMs] of [
      ['a', 1_000],
      ['b', 2_000],
      ['a', 1_000],
    ] as const) {
      section(p, digest, { leaseMs })
      expect(leaseOf(p)).toBe(leaseMs)
    }
  })
  it('is remembered where it changes nothing, by each source for itself', () => {
    const p = new TestPartition()
    create(p, { leaseMs: 1_000 })
    section(p, 'a', { leaseMs: 1_000 })
    expect(p.events).toMatchObject([{ type: 'QueueConfigured', applied: { digest: 'a' } }])
    section(p, 'w', { retriesMax: 1 }, 'wrangler shop')
    section(p, 'a', { leaseMs: 5 })
    expect(p.events).toEqual([])
    const fork = p.fork()
    expect(fork.ok({ type: 'DescribeQueue', queue: 'q' }).applied).toEqual({
      'kiroku.jsonc': 'a',
      'wrangler shop': 'w',
    })
  })
  it('is forgotten when many other sources came since', () => {
    const p = new TestPartition()
    create(p, {})
    for (let i = 0; i <= limits.appliedSourcesMax; i++) section(p, 'a', {}, `source ${i}`)
    const { applied } = p.ok({ type: 'DescribeQueue', queue: 'q' })
    expect(Object.keys(applied)).toHaveLength(limits.appliedSourcesMax)
    expect(applied['source 0']).toBeUndefined()
  })
  it('has a source that can be kept', () => {
    const p = new TestPartition()
    create(p, {})
    expect(section(p, 'a', {}, 'x'.repeat(101)).error?.id).toBe('InvalidArgument')
    expect(p.events).toEqual([])
  })
})

describe('a setting', () => {
  const ranges: [keyof QueueConfig, number, number][] = [
    ['leaseMs', limits.leaseMsMin, limits.leaseMsMax],
    ['retriesMax', 0, limits.retriesMax],
    ['retentionMs', limits.retentionMsMin, limits.retentionMsMax],
    ['deliveryDelayMs', 0, limits.delayMsMax - 1],
    ['receiveWaitMs', 0, limits.receiveWaitMsMax],
    ['batchMessages', 1, limits.messagesPerReceiveMax],
    ['batchWaitMs', 0, limits.batchWaitMsMax],
    ['batchBytes', 1, 64 * 1024 * 1024],
    ['bodyBytesMax', 1, limits.bodyBytesMax],
    ['idleMs', 0, limits.idleMsMax],
  ]
  const room = { retentionMs: limits.retentionMsMax }
  it.each(ranges)('%s is taken from %d to %d', (name, min, max) => {
    for (const value of [min, max]) {
      const p = TestPartition.newest()
      expect(create(p, { ...room, leaseMinMs: 0, [name]: value }).ok).toMatchObject({ created: true })
    }
  })
  const outside = [
    ...ranges.flatMap(([name, min, max]) =>
      [min - 1, max + (name === 'deliveryDelayMs' ? 2 : 1), min + 0.5, Number.NaN, '5', null, 5n, {}].map(
        (value): [string, unknown] => [name, value],
      ),
    ),
    ['leaseMinMs', -1],
    ['leaseMs', 0],
    ['retriesMax', 'endless'],
    ['inflightMax', 'unlimited'],
    ['leaseCapMs', -1],
    ['leaseCapMs', limits.leaseMsMax + 1],
    ['exhaustion', 'never'],
    ['exhaustion', null],
    ['lateHandles', 'maybe'],
    ['retentionFrom', 1],
    ['retry', null],
    ['retry', 'fixed'],
    ['retry', {}],
    ['retry', { kind: 'often' }],
    ['retry', { kind: 'fixed' }],
    ['retry', { kind: 'fixed', delayMs: -1 }],
    ['retry', { kind: 'fixed', delayMs: limits.delayMsMax + 1 }],
    ['retry', { kind: 'list' }],
    ['retry', { kind: 'list', delaysMs: 5 }],
    ['retry', { kind: 'list', delaysMs: [1, Number.NaN] }],
    ['retry', { kind: 'list', delaysMs: Array(1_001).fill(1) }],
    ['retry', { kind: 'exponential', baseMs: 1, maxMs: 5, factor: 0.5, jitter: 0 }],
    ['retry', { kind: 'exponential', baseMs: 1, maxMs: 5, factor: 101, jitter: 0 }],
    ['retry', { kind: 'exponential', baseMs: 1, maxMs: 5, factor: 2, jitter: 1.1 }],
    ['retry', { kind: 'exponential', baseMs: 1, maxMs: 5, factor: Number.NaN, jitter: 0 }],
    ['retry', { kind: 'exponential', baseMs: 1, factor: 2, jitter: 0 }],
    ['deadLetter', 'dead'],
    ['deadLetter', {}],
    ['deadLetter', { partition: 1, queue: 0, name: 'x' }],
    ['deadLetter', { partition: -1, queue: 1, name: 'x' }],
    ['deadLetter', { partition: 1, queue: 1 }],
    ['leaseSeconds', 5],
    ['toString', 5],
    ['__proto__x', 5],
  ] as [string, unknown][]
  it.each(outside)('%s is refused as %o, by its name', (name, value) => {
    const p = new TestPartition()
    const { error } = create(p, { ...room, [name]: value })
    expect(error?.id).toBe('InvalidConfig')
    expect(error?.message).toContain(name)
    expect(p.state.queues.size).toBe(0)
    create(p, room)
    const before = p.ok({ type: 'DescribeQueue', queue: 'q' }).config
    const again = p.ask({ type: 'ConfigureQueue', queue: 'q', config: { [name]: value }, by })
    expect(again.error?.id).toBe('InvalidConfig')
    expect(p.ok({ type: 'DescribeQueue', queue: 'q' }).config).toEqual(before)
  })

  const contradictions: [string, object][] = [
    ['a delay as long as retention', { deliveryDelayMs: 60_000, retentionMs: 60_000 }],
    ['a lease below the shortest', { leaseMs: 999, leaseMinMs: 1_000 }],
    ['a lease cap below the lease', { leaseMs: 1_000, leaseCapMs: 999 }],
    ['a dead-letter queue of the same name', { deadLetter: { partition: 9, queue: 9, name: 'q' } }],
    ['a dead-letter queue of the same address', { deadLetter: { partition: 3, queue: 1, name: 'other' } }],
  ]
  it.each(contradictions)('is refused where it contradicts another: %s', (_, config) => {
    const p = new TestPartition()
    expect(create(p, config).error?.id).toBe('InvalidConfig')
    create(p, {})
    const { error } = p.ask({
      type: 'ConfigureQueue',
      queue: 'q',
      config: config as Partial<QueueConfig>,
      by,
    })
    expect(error?.id).toBe('InvalidConfig')
  })
  it('is refused where it contradicts one that was set before', () => {
    const p = new TestPartition()
    create(p, { leaseMs: 1_000, leaseCapMs: 2_000 })
    const change = (config: Partial<QueueConfig>) => p.ask({ type: 'ConfigureQueue', queue: 'q', config, by })
    expect(change({ leaseMs: 2_001 }).error?.id).toBe('InvalidConfig')
    expect(change({ leaseMs: 2_000 }).error).toBeUndefined()
    expect(change({ leaseMs: 3_000, leaseCapMs: 0 }).error).toBeUndefined()
  })
  it('that is not named stays as it is', () => {
    const p = new TestPartition()
    create(p, { leaseMs: 5 })
    p.configure('q', { retriesMax: 9 })
    expect(p.ok({ type: 'DescribeQueue', queue: 'q' }).config).toMatchObject({ leaseMs: 5, retriesMax: 9 })
    p.configure('q', { retriesMax: 9 })
    expect(p.events).toEqual([])
  })
})

describe('purging a queue', () => {
  it('discards everything in it, in whatever state, and nothing that comes later', () => {
    const p = new TestPartition()
    p.create('q')
    p.create('other')
    p.send('other', 2)
    p.send('q', 2, { delayMs: 1_000 })
    p.send('q', 6)
    const d = p.receive('q', { max: 4 })!
    p.settle('Retry', d, { numbers: [3], delayMs: 500 })
    p.settle('Retry', d, { numbers: [4], delayMs: 0 })
    p.settle('Ack', d, { numbers: [5] })
    expect(p.counts('q')).toMatchObject({ delayed: 2, available: 3, inflight: 1, waitingRetry: 1 })
    expect(p.ok({ type: 'PurgeQueue', queue: 'q', by })).toEqual({ purged: 7 })
    const empty = { delayed: 0, available: 0, inflight: 0, waitingRetry: 0 }
    expect(p.counts('q')).toMatchObject({ ...empty, discarded: 7, committed: 1 })
    expect(p.counts('other').available).toBe(2)
    p.send('q')
    p.pass(2_000)
    expect(p.receive('q')!.numbers).toEqual([9, 1])
  })
  it('that is empty purges nothing', () => {
    const p = new TestPartition()
    p.create('q')
    expect(p.ok({ type: 'PurgeQueue', queue: 'q', by })).toEqual({ purged: 0 })
    expect(p.events).toEqual([])
  })
})

describe('a queue that is deleted and created again under its name', () => {
  const recreated = () => {
    const p = new TestPartition()
    p.create('q')
    p.send('q', 3, { delayMs: 50 })
    p.send('q', 3)
    const d = p.receive('q')!
    const waiting = p.poll('q', { waitMs: 1_000 })
    p.ok({ type: 'DeleteQueue', queue: 'q', by })
    const id = p.create('q')
    return { p, d, waiting, id }
  }
  it('is another queue, empty, with a new id', () => {
    const { p, id } = recreated()
    expect(id).toBe(2)
    expect(p.counts('q')).toMatchObject({ sent: 0, available: 0, delayed: 0, inflight: 0 })
    expect(p.state.live.used).toBe(0)
    expect(p.state.runs.used).toBe(0)
    expect(p.pass(60_000)).toEqual([])
  })
  it('never gets an id that was there before', () => {
    const p = new TestPartition()
    const ids = ['a', 'b', 'c'].map((name) => p.create(name))
    for (const queue of ['c', 'b']) p.ok({ type: 'DeleteQueue', queue, by })
    ids.push(p.create('b'), p.create('c'))
    expect(ids).toEqual([1, 2, 3, 4, 5])
  })
  it('refuses receipts from before', () => {
    const { p, d } = recreated()
    p.send('q', 3)
    p.receive('q')
    for (const type of ['Ack', 'Retry', 'Release'] as const)
      expect(p.settle(type, d)).toEqual(['UnknownReceipt', 'UnknownReceipt', 'UnknownReceipt'])
    expect(p.counts('q')).toMatchObject({ inflight: 3, committed: 0 })
  })
  it('ended the receives that waited', () => {
    const { p, waiting } = recreated()
    expect(p.answers.get(waiting)?.answer?.error?.id).toBe('UnknownQueue')
    p.send('q')
    expect(p.counts('q').available).toBe(1)
  })
  it('shares nothing with its predecessor after a restart either, whatever places are free', () => {
    const p = new TestPartition()
    for (const name of ['a', 'b', 'c']) p.create(name)
    p.ok({ type: 'DeleteQueue', queue: 'b', by })
    const restarted = new TestPartition(restore(snapshot(p.state)), p.replica)
    restarted.create('d')
    restarted.send('d')
    expect(restarted.receive('d')!.numbers).toEqual([1, 1])
  })
})

describe('pausing and resuming', () => {
  it('twice changes nothing more', () => {
    const p = new TestPartition()
    p.create('q')
    p.ok({ type: 'PauseDelivery', queue: 'q', by })
    expect(p.events).toMatchObject([{ type: 'DeliveryPaused' }])
    p.ok({ type: 'PauseDelivery', queue: 'q', by })
    expect(p.events).toEqual([])
    p.ok({ type: 'ResumeDelivery', queue: 'q', by })
    p.ok({ type: 'ResumeDelivery', queue: 'q', by })
    expect(p.events).toEqual([])
  })
  it('leaves sends, leases and verdicts as they are', () => {
    const p = new TestPartition()
    p.create('q')
    p.send('q', 2)
    const d = p.receive('q', { leaseMs: 100 })!
    p.ok({ type: 'PauseDelivery', queue: 'q', by })
    p.send('q')
    expect(p.settle('Ack', d, { numbers: [1] })).toEqual([])
    p.pass(100)
    expect(p.counts('q')).toMatchObject({ available: 2, committed: 1 })
    expect(p.receive('q')).toBeUndefined()
  })
})

describe('describing queues', () => {
  it('counts by state and tells the age of the oldest message that is not final', () => {
    const p = new TestPartition()
    p.create('a')
    p.create('b')
    p.send('a', 1, { delayMs: 5_000 })
    p.pass(1_000)
    p.send('b', 2)
    p.poll('a', { waitMs: 9_000 })
    p.pass(500)
    const { queues } = p.ok({ type: 'ListQueues' })
    expect(queues).toMatchObject([
      { name: 'a', partition: 3, queue: 1, oldestAgeMs: 1_500, waitingPolls: 1, counts: { delayed: 1 } },
      { name: 'b', partition: 3, queue: 2, oldestAgeMs: 500, waitingPolls: 0, counts: { available: 2 } },
    ])
    p.settle('Ack', p.receive('b')!)
    expect(p.ok({ type: 'DescribeQueue', queue: 'b' }).oldestAgeMs).toBe(0)
  })
  it('counts deliveries beyond the first', () => {
    const p = new TestPartition()
    p.create('q')
    p.send('q', 2)
    p.settle('Retry', p.receive('q')!)
    p.settle('Retry', p.receive('q')!)
    expect(p.receive('q')!.attempts).toEqual([3, 3])
    expect(p.counts('q').redelivered).toBe(4)
  })
  it('of no such name is refused, and so is a command of no such name', () => {
    const p = new TestPartition()
    expect(p.ask({ type: 'DescribeQueue', queue: 'x' }).error?.id).toBe('UnknownQueue')
    expect(p.ask({ type: 'Sing' } as never).error?.id).toBe('MalformedRequest')
  })
})
