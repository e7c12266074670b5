import type { CommandOf, QueueConfig, StartPosition, SubscriptionSettings } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { numbersOf, TestPartition } from '../testing/TestPartition.ts'

const by = { name: 'tester', origin: 'test' }

const withQueue = (config: Partial<QueueConfig> = {}): TestPartition => {
  const p = new TestPartition()
  p.create('q', config)
  return p
}

const subscribe = (start: StartPosition, settings: SubscriptionSettings = {}) =>
  ({ type: 'CreateSubscription', queue: 'q', subscription: 's', settings, start, by }) as const

/** Opens subscription `s`. */
const open = (p: TestPartition, start: StartPosition, settings: SubscriptionSettings = {}) => {
  p.ok<'CreateSubscription'>(subscribe(start, settings))
  return p.state.names.get('q')!.named('s')!
}

const received = (p: TestPartition, max = 100): number[] => {
  const delivery = p.receive('q', { subscription: 's', max })
  return delivery === undefined ? [] : numbersOf(delivery.numbers)
}

const sendTagged = (p: TestPartition, send: number, tags: readonly string[], groups?: readonly string[]) =>
  p.ok<'Enqueue'>({
    type: 'Enqueue',
    queue: 'q',
    producer: 'tagged',
    send,
    messages: tags.map(() => Uint8Array.of(0, 1)),
    tags,
    ...(groups === undefined ? {} : { groups }),
  } as CommandOf<'Enqueue'>)

describe('a subscription that begins in the past', () => {
  it('gets nothing before the past is restored, then the old messages and after them the new ones', () => {
    const p = withQueue()
    p.send('q', 2)
    p.send('q', 2)
    const sub = open(p, 'earliest')
    p.send('q')
    expect(received(p)).toEqual([])
    p.fill(sub, 1)
    expect(received(p)).toEqual([])
    p.send('q')
    p.fill(sub)
    expect(received(p)).toEqual([1, 2, 3, 4, 5, 6])
    p.send('q')
    expect(received(p)).toEqual([7])
  })

  it('serves receives that wait as soon as the past is restored', () => {
    const p = withQueue()
    p.send('q', 2)
    const sub = open(p, 'earliest')
    const poll = p.poll('q', { subscription: 's', waitMs: 10_000 })
    p.pass(1_000)
    expect(p.got(poll)).toBeUndefined()
    p.fill(sub)
    expect(p.got(poll)).toEqual([1, 2])
  })

  it('gets what others have settled long ago, whatever became of it there', () => {
    const p = withQueue()
    p.send('q', 3)
    p.settle('Ack', p.receive('q', { max: 2 })!)
    p.fill(open(p, 'earliest'))
    expect(received(p)).toEqual([1, 2, 3])
  })

  it.each([
    [{ number: 1 }, [1, 2, 3, 4]],
    [{ number: 3 }, [3, 4]],
    [{ number: 4 }, [4]],
  ])('begins at message %j', (start, numbers) => {
    const p = withQueue()
    p.send('q', 4)
    p.fill(open(p, start))
    expect(received(p)).toEqual(numbers)
  })

  it('needs nothing restored where it begins with the next message', () => {
    const p = withQueue()
    p.send('q', 4)
    expect(open(p, { number: 5 }).fill).toBeUndefined()
    p.send('q')
    expect(received(p)).toEqual([5])
  })

  it.each([
    [{ number: 0 }],
    [{ number: 6 }],
    [{ number: 1.5 }],
    [{ time: Number.NaN }],
    [{ time: -1 }],
    ['soon'],
    [null],
  ])('cannot begin at %j', (start) => {
    const p = withQueue()
    p.send('q', 4)
    expect(p.ask<'CreateSubscription'>(subscribe(start as StartPosition)).error?.id).toBe('InvalidArgument')
    expect(p.events).toEqual([])
  })

  it('begins with what is sent from now on where its time is not over', () => {
    const p = withQueue()
    p.send('q', 4)
    expect(open(p, { time: p.now }).fill).toBeUndefined()
  })

  it('asks to be tried again when the log was trimmed since it was asked where it begins', () => {
    const p = withQueue()
    p.send('q', 4)
    p.record({ type: 'Trimmed', upTo: 1 })
    expect(p.state.trimmedTo).toBe(1)
    const located = { from: 2, readFrom: 1 }
    expect(p.askLocated(subscribe({ number: 2 }), located).error?.id).toBe('Busy')
    expect(p.events).toEqual([])
    expect(p.askLocated(subscribe({ number: 2 }), { from: 2, readFrom: 2 }).ok).toMatchObject({
      created: true,
    })
  })

  it('gets delayed messages when they are due, also from the middle of those that wait together', () => {
    const p = withQueue()
    p.send('q', 3, { delayMs: 500 })
    p.send('q')
    const sub = open(p, { number: 2 })
    p.pass(500)
    p.fill(sub)
    expect(received(p)).toEqual([4, 2, 3])
  })

  it('gets messages whose delay was over in the order in which they became available', () => {
    const p = withQueue()
    p.send('q', 2, { delaysMs: [300, 100] })
    p.send('q')
    p.pass(400)
    p.fill(open(p, 'earliest'))
    expect(received(p)).toEqual([3, 2, 1])
  })

  it('does not get what was purged, before it was opened or while it is filled', () => {
    const p = withQueue()
    const purge = () => p.ok({ type: 'PurgeQueue', queue: 'q', by })
    p.send('q', 2)
    purge()
    p.send('q', 2)
    p.send('q', 2)
    const sub = open(p, 'earliest')
    p.fill(sub, 1)
    expect(p.counts('q').available).toBe(4 + 2)
    purge()
    p.send('q')
    p.fill(sub)
    expect(received(p)).toEqual([7])
  })

  it('does not get what is too old, and what grows too old while it is filled', () => {
    const p = withQueue({ retentionMs: 1_000 })
    p.send('q')
    p.pass(400)
    p.send('q')
    p.pass(400)
    p.send('q')
    p.pass(300)
    const sub = open(p, 'earliest')
    p.fill(sub, 2)
    p.pass(500)
    p.fill(sub)
    expect(received(p)).toEqual([3])
    expect(p.counts('q')).toMatchObject({ sent: 3, discarded: 3 })
  })

  it('gets only what passes its filter; the rest is final for it at once', () => {
    const p = withQueue()
    sendTagged(p, 1, ['red', 'blue', '', 'red'])
    p.fill(open(p, 'earliest', { tags: ['red'] }))
    expect(received(p)).toEqual([1, 4])
    const [, { counts }] = p.ok({ type: 'DescribeQueue', queue: 'q' }).subscriptions as [never, never]
    expect(counts).toMatchObject({ sent: 4, discarded: 2, inflight: 2 })
  })

  it('keeps the order of each message group', () => {
    const p = withQueue({ groups: 'ordered' })
    sendTagged(p, 1, ['', '', ''], ['g', 'h', 'g'])
    const sub = open(p, 'earliest')
    sendTagged(p, 2, ['', ''], ['h', 'g'])
    p.fill(sub, 1)
    p.fill(sub)
    const order: number[] = []
    for (let delivery; (delivery = p.receive('q', { subscription: 's', max: 1 })) !== undefined;) {
      order.push(...numbersOf(delivery.numbers))
      p.settle('Ack', delivery)
    }
    expect(order.filter((n) => [1, 3, 5].includes(n))).toEqual([1, 3, 5])
    expect(order.filter((n) => [2, 4].includes(n))).toEqual([2, 4])
  })

  it('counts retention of forwarded messages as the queue does now', () => {
    const p = withQueue({ retentionMs: 1_000, retentionFrom: 'original' })
    const forward = (number: number, ages: readonly number[]) =>
      p.ok<'Forward'>({
        type: 'Forward',
        from: { partition: 1, queue: 1 },
        target: 1,
        forward: number,
        messages: ages.map(() => Uint8Array.of(0, 1)),
        enqueuedAt: ages.map((age) => p.now - age),
      })
    forward(1, [100, 700])
    p.fill(open(p, 'earliest'))
    p.pass(500)
    expect(received(p)).toEqual([1])
    p.configure('q', { retentionFrom: 'arrival' })
    p.fill(open2(p))
    expect(received2(p)).toEqual([1, 2])
  })

  it('goes on where it was after its state was restored from a checkpoint', () => {
    const p = withQueue()
    for (let i = 0; i < 4; i++) p.send('q')
    p.fill(open(p, 'earliest'), 2)
    p.send('q')
    const fork = p.fork()
    const sub = fork.state.names.get('q')!.named('s')!
    fork.fill(sub, 1)
    fork.fill(sub)
    expect(received(fork)).toEqual([1, 2, 3, 4, 5])
  })

  it('ends its filling when it is deleted or reset meanwhile', () => {
    const p = withQueue()
    p.send('q', 4)
    open(p, 'earliest')
    const reset = { type: 'ResetSubscription', queue: 'q', subscription: 's', by } as const
    p.ok<'ResetSubscription'>({ ...reset, start: { number: 4 } })
    expect([...p.state.filling].map(({ from }) => from)).toEqual([4])
    p.ok({ type: 'DeleteSubscription', queue: 'q', subscription: 's', by })
    expect(p.state.filling.size).toBe(0)
  })
})

const open2 = (p: TestPartition) => {
  p.ok<'CreateSubscription'>({ ...subscribe('earliest'), subscription: 't' })
  return p.state.names.get('q')!.named('t')!
}
const received2 = (p: TestPartition): number[] =>
  numbersOf(p.receive('q', { subscription: 't', max: 100 })!.numbers)

describe('a reset', () => {
  it('replays to a new generation, and a receipt of the old one names nothing any more', () => {
    const p = withQueue()
    p.send('q', 2)
    const before = p.receive('q', { max: 2 })!
    p.ok<'ResetSubscription'>({
      type: 'ResetSubscription',
      queue: 'q',
      subscription: 'main',
      start: 'earliest',
      by,
    })
    p.fill([...p.state.filling][0]!)
    expect(p.settle('Ack', before)).toEqual(['UnknownReceipt', 'UnknownReceipt'])
    expect(numbersOf(p.receive('q')!.numbers)).toEqual([1, 2])
  })

  it('from before 1970 is refused', () => {
    const p = withQueue()
    p.send('q', 2)
    const reset = { type: 'ResetSubscription', queue: 'q', subscription: 'main', by } as const
    expect(p.ask<'ResetSubscription'>({ ...reset, start: { time: -1 } }).error?.id).toBe('InvalidArgument')
    expect(p.events).toEqual([])
  })

  it('of a generation that is gone already changes nothing, so that it can be repeated', () => {
    const p = withQueue()
    const reset = { type: 'ResetSubscription', queue: 'q', subscription: 'main', sub: 0, by } as const
    expect(p.ok<'ResetSubscription'>(reset)).toEqual({ queue: 1, sub: 1 })
    expect(p.ok<'ResetSubscription'>(reset)).toEqual({ queue: 1, sub: 1 })
    expect(p.events).toEqual([])
  })
})

describe('the past that is being restored', () => {
  it('is left alone by retention until it is complete', () => {
    const p = withQueue({ retentionMs: 10_000 })
    p.send('q')
    p.pass(5_000)
    p.send('q')
    p.settle('Ack', p.receive('q')!)
    p.pass(4_000)
    const sub = open(p, 'earliest')
    p.fill(sub, 1)
    const expired = { type: 'Discarded', reason: 'expired', numbers: [1, 1] }
    expect(p.pass(2_000)).not.toContainEqual(expect.objectContaining(expired))
    p.fill(sub)
    expect([...p.events, ...p.pass(1_000)]).toContainEqual(expect.objectContaining(expired))
    expect(received(p)).toEqual([2])
  })
})
