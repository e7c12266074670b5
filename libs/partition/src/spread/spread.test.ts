import { type Command, type CommandOf } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { placePart } from '../index.ts'
import { bodies, by, Partitions, spreadQueue } from '../testing/Partitions.ts'

describe('a queue is spread', () => {
  it('when its parts are there: they take sends then, and only from those who know of them', () => {
    const ps = new Partitions(3)
    ps.at(0).create('q')
    const token = ps.spread('q', 1, 2)
    expect(ps.at(0).answers.has(token)).toBe(false)
    expect(ps.view('q')).toEqual({ version: 1, parts: [] })
    expect(ps.send(1, 'q', 1, 1).error?.id).toBe('UnknownQueue')
    ps.talk()
    expect(ps.at(0).answers.get(token)?.answer?.ok).toEqual({ queue: 1 })
    const open = [1, 2].map((partition) => ({ partition, isOpen: true }))
    expect(ps.view('q')).toEqual({ version: 3, parts: open })
    expect(ps.send(1, 'q', 1).error?.id).toBe('QueueMoved')
    expect(ps.send(1, 'q', 2, 3).ok).toEqual({ queue: 1, first: 1, count: 2 })
    expect(ps.send(0, 'q', 2).ok).toMatchObject({ first: 1, spread: { version: 3 } })
    expect(ps.send(0, 'q', 2, 3).ok).toEqual({ queue: 1, first: 3, count: 2 })
  })
  it('tells receives of it, those that wait too, and lets those go on that know', () => {
    const ps = new Partitions(2)
    const home = ps.at(0)
    home.create('q')
    const waiting = home.poll('q', { waitMs: 10_000 })
    ps.spread('q', 1)
    ps.talk()
    expect(home.answers.get(waiting)?.answer?.ok).toMatchObject({ spread: { version: 1 } })
    const knowing = home.poll('q', { waitMs: 10_000, spread: 2 })
    expect(home.got(knowing)).toBeUndefined()
    const unknowing = home.poll('q', { waitMs: 10_000 })
    expect(home.answers.get(unknowing)?.answer?.ok).toEqual({ spread: ps.view('q') })
    ps.spread('q')
    expect(home.answers.get(knowing)?.answer?.ok).toMatchObject({ spread: { version: 3 } })
  })
  it('gives a receive whose answer was lost what it got, although the parts are others by now', () => {
    const ps = new Partitions(2)
    const home = ps.at(0)
    home.create('q')
    home.send('q', 3)
    const lost = home.poll('q', { max: 2, attempt: 'a' })
    expect(home.got(lost)).toEqual([1, 2])
    ps.spread('q', 1)
    ps.talk()
    expect(home.got(home.poll('q', { max: 2, attempt: 'a' }))).toEqual([1, 2])
  })
  it('again with the same partitions without a word, and once more after the answer was lost', () => {
    const ps = spreadQueue({}, 1, 2)
    const before = ps.at(0).state.frameSeq
    const token = ps.spread('q', 2, 1)
    expect(ps.at(0).answers.has(token)).toBe(true)
    expect(ps.at(0).state.frameSeq).toBeLessThanOrEqual(before + 1)
    expect(ps.at(0).events).toEqual([])
  })
  it('not where the partition of a part does not know a setting of its home: it is refused, and nothing is on record', () => {
    const ps = new Partitions(2)
    ps.at(0).create('q')
    ps.spread('q', 1)
    const home = ps.at(0).state.names.get('q')!
    const place = placePart(ps.at(0).state, home, home.spread!.parts[0]!)
    const config = { ...place.config, weather: 'blue' }
    expect(ps.at(1).ask({ ...place, config }).error?.id).toBe('FutureVersion')
    const subs = [{ ...place.subs[0]!, settings: { weather: 'blue' } as object }]
    expect(ps.at(1).ask({ ...place, subs }).error?.id).toBe('FutureVersion')
    expect(ps.at(1).events).toEqual([])
    ps.talk()
    expect(ps.view('q')!.parts).toEqual([{ partition: 1, isOpen: true }])
  })
  it('with everything that it is: settings, subscriptions, pauses', () => {
    const ps = new Partitions(2)
    const home = ps.at(0)
    home.create('q', { leaseMs: 5_000 })
    home.ok({
      type: 'CreateSubscription',
      queue: 'q',
      subscription: 'audit',
      settings: { leaseMs: 7_000 },
      by,
    })
    home.ok({ type: 'PauseDelivery', queue: 'q', subscription: 'audit', by })
    ps.spread('q', 1)
    ps.talk()
    const { config, subscriptions } = ps.at(1).ok({ type: 'DescribeQueue', queue: 'q' })
    expect(config.leaseMs).toBe(5_000)
    expect(subscriptions.map((s) => [s.name, s.config.leaseMs, s.deliveryPaused])).toEqual([
      ['main', 5_000, false],
      ['audit', 7_000, true],
    ])
  })
  it('unless it keeps groups in order, or names its own partition or one twice', () => {
    const ps = new Partitions(2)
    ps.at(0).create('q')
    ps.at(0).create('fifo', { groups: 'ordered' })
    const ask = (queue: string, ...partitions: number[]) =>
      ps.at(0).ask({ type: 'SpreadQueue', queue, partitions, by }).error?.id
    expect([ask('fifo', 1), ask('q', 0), ask('q', 1, 1), ask('q', -1), ask('x', 1)]).toEqual([
      'InvalidConfig',
      'InvalidArgument',
      'InvalidArgument',
      'InvalidArgument',
      'UnknownQueue',
    ])
  })
  it('unless it names a partition that the log does not have, which would never follow', () => {
    const ps = new Partitions(2)
    ps.at(0).create('q')
    ps.at(0).own.partitions = 2
    const command: Command = { type: 'SpreadQueue', queue: 'q', partitions: [1, 2], by }
    expect(ps.at(0).ask(command).error).toMatchObject({
      id: 'InvalidArgument',
      message: expect.stringContaining('no partition 2: the log has 2') as string,
    })
    expect(ps.at(0).events).toEqual([])
  })
})

describe('parts follow their home', () => {
  const waits = (ps: Partitions, command: Command): unknown => {
    const home = ps.at(0)
    const [token] = home.turn(command)
    expect(home.answers.has(token!)).toBe(false)
    ps.talk()
    return home.answers.get(token!)?.answer?.ok
  }
  it('in settings, and the answer comes when they do', () => {
    const ps = spreadQueue({}, 1, 2)
    expect(waits(ps, { type: 'ConfigureQueue', queue: 'q', config: { leaseMs: 1_000 }, by })).toEqual({
      queue: 1,
    })
    expect(ps.at(2).ok({ type: 'DescribeQueue', queue: 'q' }).config.leaseMs).toBe(1_000)
  })
  it('in pauses', () => {
    const ps = spreadQueue({}, 1)
    ps.send(1, 'q', 1, 9)
    waits(ps, { type: 'PauseDelivery', queue: 'q', by })
    expect(ps.at(1).receive('q')).toBeUndefined()
    waits(ps, { type: 'ResumeDelivery', queue: 'q', by })
    expect(ps.at(1).receive('q')?.numbers).toEqual([1, 1])
  })
  it('in a purge, once, and the answer counts what all of them discarded', () => {
    const ps = spreadQueue({}, 1, 2)
    ps.send(0, 'q', 3, 9)
    ps.send(1, 'q', 4, 9)
    expect(waits(ps, { type: 'PurgeQueue', queue: 'q', by })).toEqual({ purged: 7 })
    ps.send(1, 'q', 2, 9)
    ps.place(ps.at(0), 'q', 1)
    expect(ps.at(1).counts('q')).toMatchObject({ available: 2, discarded: 4 })
    // Also a purge of a home that is empty itself reaches them.
    expect(waits(ps, { type: 'PurgeQueue', queue: 'q', by })).toEqual({ purged: 2 })
  })
  it('in subscriptions: created, changed, reset and deleted', () => {
    const ps = spreadQueue({}, 1)
    const act = { queue: 'q', subscription: 's', by }
    const names = () =>
      ps
        .at(1)
        .state.names.get('q')!
        .subs.map((s) => [s.name, s.settings.leaseMs])
    waits(ps, { type: 'CreateSubscription', ...act, settings: { leaseMs: 7_000 } })
    expect(names()).toEqual([
      ['main', undefined],
      ['s', 7_000],
    ])
    waits(ps, { type: 'ConfigureSubscription', ...act, settings: { leaseMs: 8_000 } })
    expect(names()[1]).toEqual(['s', 8_000])
    ps.send(1, 'q', 3, 9)
    expect(ps.at(1).receive('q', { subscription: 's' })?.numbers).toEqual([1, 3])
    waits(ps, { type: 'ResetSubscription', ...act })
    expect(ps.at(1).state.names.get('q')!.subs[1]).toMatchObject({ id: 2, live: 0 })
    expect(ps.at(1).counts('q').available).toBe(3)
    waits(ps, { type: 'DeleteSubscription', ...act })
    expect(names()).toEqual([['main', undefined]])
  })
  it('but not in a past, which each part has of its own', () => {
    const ps = spreadQueue({}, 1)
    const act = { queue: 'q', by, start: 'earliest' } as const
    expect([
      ps.at(0).ask({ type: 'CreateSubscription', ...act, subscription: 's', settings: {} }).error?.id,
      ps.at(0).ask({ type: 'ResetSubscription', ...act, subscription: 'main' }).error?.id,
    ]).toEqual(['InvalidArgument', 'InvalidArgument'])
  })
  it('and are changed by nobody else', () => {
    const ps = spreadQueue({}, 1)
    const part = ps.at(1)
    const errors = [
      part.ask({ type: 'ConfigureQueue', queue: 'q', config: {}, by }),
      part.ask({ type: 'DeleteQueue', queue: 'q', by }),
      part.ask({ type: 'PauseDelivery', queue: 'q', subscription: 'main', by }),
      part.ask({ type: 'ResetSubscription', queue: 'q', subscription: 'main', by }),
      part.ask({ type: 'SpreadQueue', queue: 'q', partitions: [2], by }),
    ].map((answer) => answer.error?.id)
    expect(errors).toEqual(Array(5).fill('QueueMoved'))
  })
  it('but not what came to them late', () => {
    const ps = spreadQueue({}, 1)
    const home = ps.at(0)
    const queue = home.state.names.get('q')!
    const late = placePart(home.state, queue, queue.spread!.parts[0]!)
    waits(ps, { type: 'PauseDelivery', queue: 'q', by })
    ps.at(1).ok(late)
    expect(ps.at(1).state.names.get('q')!.deliveryPaused).toBe(true)
    ps.spread('q')
    ps.talk()
    expect(ps.at(1).state.names.has('q')).toBe(false)
    expect(ps.at(1).ask(late).error?.id).toBe('QueueMoved')
    expect(ps.at(1).state.names.has('q')).toBe(false)
  })
})

describe('a part that is not wanted any more', () => {
  it('takes no sends, delivers what it has, and goes when it is empty; its totals stay with the home', () => {
    const ps = spreadQueue({}, 1)
    ps.send(1, 'q', 3, 9)
    const token = ps.spread('q')
    ps.talk()
    expect(ps.at(0).answers.get(token)?.answer?.ok).toEqual({ queue: 1 })
    expect(ps.send(1, 'q', 1, 99).error?.id).toBe('QueueMoved')
    expect(ps.view('q').parts).toEqual([{ partition: 1, isOpen: false }])
    const d = ps.at(1).receive('q')!
    ps.talk()
    expect(ps.at(1).settle('Ack', d)).toEqual([])
    ps.talk()
    expect(ps.view('q').parts).toEqual([])
    expect(ps.at(1).state.names.has('q')).toBe(false)
    expect([ps.at(0).state.leaving, ps.at(0).state.homes.size]).toEqual([[], 0])
    expect(ps.at(0).counts('q')).toMatchObject({ sent: 3, committed: 3, available: 0 })
    expect(ps.at(0).ok({ type: 'DescribeQueue', queue: 'q' }).spread).toBeUndefined()
  })
  it.each(['constructor', 'toString', 'hasOwnProperty'])(
    'leaves its totals also of a subscription with a name that every object has: %s',
    (name) => {
      const ps = spreadQueue({}, 1)
      ps.at(0).turn({ type: 'CreateSubscription', queue: 'q', subscription: name, settings: {}, by })
      ps.talk()
      ps.send(1, 'q', 2, 9)
      for (const subscription of ['main', name])
        ps.at(1).settle('Ack', ps.at(1).receive('q', { subscription, max: 2 })!)
      ps.spread('q')
      ps.talk()
      const { counts, subscriptions } = ps.at(0).ok({ type: 'DescribeQueue', queue: 'q' })
      expect(subscriptions[1]).toMatchObject({ name, counts: { sent: 2, committed: 2, discarded: 0 } })
      expect(counts).toMatchObject({ sent: 2, committed: 4, deadLettered: 0, discarded: 0, redelivered: 0 })
    },
  )
  it('is taken back as it is when it is wanted again before that, and is another one afterwards', () => {
    const ps = spreadQueue({}, 1)
    const version = ps.view('q').version
    ps.send(1, 'q', 3, version)
    ps.spread('q')
    ps.talk()
    ps.spread('q', 1)
    // What was sent when it was sealed may still be on its way.
    expect(ps.send(1, 'q', 1, version).error?.id).toBe('QueueMoved')
    ps.talk()
    expect(ps.send(1, 'q', 1, version).error?.id).toBe('QueueMoved')
    expect(ps.send(1, 'q', 1, ps.view('q').version).ok).toMatchObject({ queue: 1, first: 4 })
    ps.at(0).turn({ type: 'PurgeQueue', queue: 'q', by })
    ps.spread('q')
    ps.talk()
    ps.spread('q', 1)
    ps.talk()
    expect(ps.send(1, 'q', 1, ps.view('q').version).ok).toMatchObject({ queue: 2, first: 1 })
    expect(ps.at(0).counts('q')).toMatchObject({ sent: 4, discarded: 4 })
  })
  it('takes no dead letters either', () => {
    const ps = spreadQueue({}, 1)
    ps.send(1, 'q', 1, 9)
    ps.spread('q')
    ps.talk()
    const forward: CommandOf<'Forward'> = {
      type: 'Forward',
      from: { partition: 2, queue: 1 },
      target: 1,
      forward: 1,
      messages: bodies(1),
      enqueuedAt: [0],
    }
    expect(ps.at(1).ask(forward).error?.id).toBe('QueueMoved')
    ps.at(1).settle('Ack', ps.at(1).receive('q')!)
    ps.talk()
    expect(ps.at(1).ask(forward).ok).toEqual({ outcome: 'targetGone', upTo: 2, stored: 1 })
  })
  it('is not forgotten while its dead letters are on their way', () => {
    const ps = spreadQueue({ retriesMax: 0, deadLetter: { partition: 2, queue: 7, name: 'dead' } }, 1)
    ps.send(1, 'q', 1, 9)
    ps.spread('q')
    ps.at(1).settle('Retry', ps.at(1).receive('q')!)
    ps.talk()
    expect(ps.view('q').parts).toHaveLength(1)
    const target = { partition: 2, queue: 7 }
    ps.at(1).record({ type: 'Forwarded', source: 1, target, upTo: 2, outcome: 'stored' })
    ps.talk()
    expect(ps.view('q').parts).toEqual([])
    expect(ps.at(0).counts('q')).toMatchObject({ sent: 1, deadLettered: 1 })
  })
})
