import { limits, type Command } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { decide } from '../index.ts'
import { withQueue } from '../testing/withQueue.ts'

describe('a receive without a wait', () => {
  it('gets what is there at once, in the order of the sends', () => {
    const p = withQueue()
    p.send('q', 2)
    p.send('q', 3)
    const d = p.receive('q')!
    expect(d.numbers).toEqual([1, 5])
    expect(d.attempts).toEqual([1, 1, 1, 1, 1])
    expect(d.leaseUntil).toBe(p.now + 30_000)
  })
  it('gets nothing from an empty queue, at once', () => {
    const p = withQueue()
    expect(p.receive('q')).toBeUndefined()
    expect(p.counts('q').inflight).toBe(0)
  })
  it('gets no more than it asks for', () => {
    const p = withQueue()
    p.send('q', 5)
    expect(p.receive('q', { max: 2 })!.numbers).toEqual([1, 2])
    expect(p.receive('q', { max: 2 })!.numbers).toEqual([3, 2])
    expect(p.receive('q', { max: 2 })!.numbers).toEqual([5, 1])
    expect(p.receive('q', { max: 2 })).toBeUndefined()
  })
  it('names the place of every body', () => {
    const p = withQueue()
    p.create('other')
    p.send('other', 3)
    p.send('q', 4)
    const d = p.receive('q')!
    const bodies = d.seqs.map((seq, i) => p.bodies.get(`${seq}/${d.queue}`)![d.indexes[i]!]![1])
    expect(bodies).toEqual([1, 2, 3, 4])
  })
  it('gets what is there however much becomes due in the same turn', () => {
    const p = withQueue()
    p.create('later')
    const delaysMs = Array.from({ length: limits.messagesPerSendMax }, (_, i) => 999 + (i % 2))
    for (let i = 0; i < 3; i++) p.send('later', delaysMs.length, { delaysMs })
    p.send('q')
    p.now += 1_000
    p.turnBytesMax = 100_000
    const receive: Command = {
      type: 'Receive',
      queue: 'q',
      poll: 'a poll',
      max: 1,
      waitMs: 0,
      mode: 'simple',
      consumer: 'c',
    }
    p.act((turn) => decide(turn, receive, 1_000))
    expect(p.said).toMatchObject([{ token: 1_000, delivery: { numbers: [1, 1] } }])
    expect(p.counts('later').delayed).toBeGreaterThan(0)
    p.act(() => {})
    expect(p.events.length).toBeGreaterThan(0)
  })
  it('gets messages that came back ahead of those that nobody has touched', () => {
    const p = withQueue()
    p.send('q', 4)
    const d = p.receive('q', { max: 2 })!
    p.settle('Retry', d, { numbers: [2] })
    const again = p.receive('q')!
    expect(again.numbers).toEqual([2, 3])
    expect(again.attempts).toEqual([2, 1, 1])
  })
  it('uses the lease that it asks for', () => {
    const p = withQueue()
    p.send('q')
    expect(p.receive('q', { leaseMs: 5 })!.leaseUntil).toBe(p.now + 5)
    expect(p.pass(4)).toEqual([])
    expect(p.pass(1).map((e) => e.type)).toEqual(['LeaseExpired'])
  })
  it('gets no lease beyond the cap of the queue', () => {
    const p = withQueue({ leaseMs: 10, leaseCapMs: 100 })
    p.send('q')
    expect(p.receive('q', { leaseMs: 1_000 })!.leaseUntil).toBe(p.now + 100)
  })
})

describe('a receive that waits', () => {
  it('is served by the next send', () => {
    const p = withQueue()
    const poll = p.poll('q', { waitMs: 1_000 })
    p.pass(500)
    expect(p.got(poll)).toBeUndefined()
    p.send('q')
    expect(p.got(poll)).toEqual([1])
  })
  it('is answered empty at the end of its wait, not before', () => {
    const p = withQueue()
    const poll = p.poll('q', { waitMs: 1_000 })
    p.pass(999)
    expect(p.got(poll)).toBeUndefined()
    p.pass(1)
    expect(p.got(poll)).toBe('nothing')
  })
  it('waits as long as the queue says when it does not say', () => {
    const p = withQueue({ receiveWaitMs: 300 })
    const poll = p.poll('q')
    p.pass(299)
    expect(p.got(poll)).toBeUndefined()
    p.pass(1)
    expect(p.got(poll)).toBe('nothing')
  })
  it('is served when a delay is over', () => {
    const p = withQueue()
    p.send('q', 1, { delayMs: 400 })
    const poll = p.poll('q', { waitMs: 1_000 })
    p.pass(399)
    expect(p.got(poll)).toBeUndefined()
    p.pass(1)
    expect(p.got(poll)).toEqual([1])
  })
  it('is served when a lease ends or a pause is over', () => {
    const p = withQueue({ retry: { kind: 'fixed', delayMs: 50 } })
    p.send('q')
    p.receive('q', { leaseMs: 100 })
    const poll = p.poll('q', { waitMs: 1_000 })
    p.pass(149)
    expect(p.got(poll)).toBeUndefined()
    p.pass(1)
    expect(p.got(poll)).toEqual([1])
  })
  it('waits its turn: the first that asked is the first that gets', () => {
    const p = withQueue()
    const [a, b] = [p.poll('q', { waitMs: 900, max: 1 }), p.poll('q', { waitMs: 900, max: 1 })]
    p.send('q')
    expect([p.got(a), p.got(b)]).toEqual([[1], undefined])
    p.send('q')
    expect(p.got(b)).toEqual([2])
  })
  it('can be taken back, and gets nothing then', () => {
    const p = withQueue()
    const token = p.turn({
      type: 'Receive',
      queue: 'q',
      poll: 'mine',
      max: 1,
      waitMs: 900,
      mode: 'push',
      consumer: '',
    })[0]!
    expect(p.ok({ type: 'CancelReceive', poll: 'mine' })).toEqual({ cancelled: true })
    expect(p.got(token)).toBe('nothing')
    expect(p.ok({ type: 'CancelReceive', poll: 'mine' })).toEqual({ cancelled: false })
    p.send('q')
    expect(p.counts('q')).toMatchObject({ available: 1, inflight: 0 })
  })
  it('gives way to one with the same poll id, so that a client may ask again', () => {
    const p = withQueue()
    const first = p.poll('q', { waitMs: 900, poll: 'mine' })
    const second = p.poll('q', { waitMs: 900, poll: 'mine' })
    expect(p.got(first)).toBe('nothing')
    p.send('q', 2)
    expect(p.got(second)).toEqual([1, 2])
    expect(p.own.polls.size).toBe(0)
  })
  it('gets nothing while deliveries are paused, and everything when they resume', () => {
    const p = withQueue()
    const by = { name: 'tester', origin: 'test' }
    p.ok({ type: 'PauseDelivery', queue: 'q', by })
    const [short, long] = [p.poll('q', { waitMs: 100 }), p.poll('q', { waitMs: 900 })]
    p.send('q', 3)
    p.pass(100)
    expect([p.got(short), p.got(long)]).toEqual(['nothing', undefined])
    p.ok({ type: 'ResumeDelivery', queue: 'q', by })
    expect(p.got(long)).toEqual([1, 2, 3])
  })
})

describe('a batch closes', () => {
  const open = { max: 3, waitMs: 10_000, batchWaitMs: 1_000 }
  it('when it is full', () => {
    const p = withQueue()
    const poll = p.poll('q', open)
    p.send('q', 2)
    expect(p.got(poll)).toBeUndefined()
    p.send('q', 2)
    expect(p.got(poll)).toEqual([1, 2, 3])
  })
  it('a while after its first message', () => {
    const p = withQueue()
    const poll = p.poll('q', open)
    p.pass(5_000)
    p.send('q')
    p.pass(500)
    p.send('q')
    p.pass(499)
    expect(p.got(poll)).toBeUndefined()
    p.pass(1)
    expect(p.got(poll)).toEqual([1, 2])
  })
  it('at so many bytes', () => {
    const p = withQueue()
    const poll = p.poll('q', { ...open, bytesMax: 25 })
    p.send('q', 1, { bytes: 10 })
    expect(p.got(poll)).toBeUndefined()
    p.send('q', 1, { bytes: 15 })
    expect(p.got(poll)).toEqual([1, 2])
  })
  it('a while after its first message, even when the wait for that one is over before', () => {
    const p = withQueue()
    const poll = p.poll('q', { ...open, waitMs: 300 })
    p.pass(200)
    p.send('q')
    p.pass(999)
    expect(p.got(poll)).toBeUndefined()
    p.pass(1)
    expect(p.got(poll)).toEqual([1])
  })
  it('at the latest so long after its wait, although its messages are gone', () => {
    const p = withQueue()
    const poll = p.poll('q', { ...open, waitMs: 300 })
    p.pass(200)
    p.send('q')
    p.ok({ type: 'PurgeQueue', queue: 'q', by: { name: 'tester', origin: 'test' } })
    p.pass(1_000)
    expect(p.got(poll)).toBe('nothing')
  })
  it('at the latest so long after its wait, although others take its messages and new ones come', () => {
    const p = withQueue()
    const poll = p.poll('q', { ...open, waitMs: 300 })
    for (let i = 0; i < 4; i++) {
      p.pass(290)
      p.send('q')
      p.pass(10)
      expect(p.got(poll)).toBeUndefined()
      p.receive('q')
    }
    p.send('q')
    p.pass(99)
    expect(p.got(poll)).toBeUndefined()
    p.pass(1)
    expect(p.got(poll)).toEqual([5])
  })
  it('with fewer bytes than asked for when the next message would not fit', () => {
    const p = withQueue()
    p.send('q', 1, { bytes: 20 })
    p.send('q', 1, { bytes: 20 })
    expect(p.receive('q', { bytesMax: 30 })!.numbers).toEqual([1, 1])
  })
  it('with one message that alone is larger than asked for', () => {
    const p = withQueue()
    p.send('q', 2, { bytes: 100 })
    expect(p.receive('q', { bytesMax: 30 })!.numbers).toEqual([1, 1])
  })
  it('counting from the first message that is left over from the batch before', () => {
    const p = withQueue()
    p.send('q', 2)
    p.pass(900)
    p.send('q', 2)
    expect(p.got(p.poll('q', open))).toEqual([1, 2, 3])
    const next = p.poll('q', open)
    p.pass(999)
    expect(p.got(next)).toBeUndefined()
    p.pass(1)
    expect(p.got(next)).toEqual([4])
  })
  it('never empty: it goes on waiting when its messages are gone before it closes', () => {
    const p = withQueue()
    const poll = p.poll('q', open)
    p.send('q', 2)
    p.pass(400)
    p.ok({ type: 'PurgeQueue', queue: 'q', by: { name: 'tester', origin: 'test' } })
    p.pass(2_000)
    expect(p.got(poll)).toBeUndefined()
    p.send('q', 3)
    expect(p.got(poll)).toEqual([3, 4, 5])
  })
  it('never for good before it closed: it is answered at the end of its wait although its messages are gone', () => {
    const p = withQueue()
    const poll = p.poll('q', open)
    p.send('q', 2)
    p.pass(400)
    p.ok({ type: 'PurgeQueue', queue: 'q', by: { name: 'tester', origin: 'test' } })
    p.pass(9_600)
    expect(p.got(poll)).toBe('nothing')
  })
  it('without holding up a receive behind it that does not wait for more', () => {
    const p = withQueue()
    const patient = p.poll('q', open)
    p.send('q', 2)
    expect(p.receive('q', { max: 1 })!.numbers).toEqual([1, 1])
    expect(p.got(patient)).toBeUndefined()
    p.pass(1_000)
    expect(p.got(patient)).toEqual([2])
  })
})

describe('as many receives as may wait', () => {
  it('keep nobody from what is there, only from waiting too', () => {
    const p = withQueue()
    p.create('other')
    for (let i = 0; i < limits.pollsMax; i += 1_000)
      p.turn(
        ...Array.from({ length: 1_000 }, (_, k) => ({
          type: 'Receive' as const,
          queue: 'q',
          poll: `poll ${i + k}`,
          max: 1,
          waitMs: 30_000,
          mode: 'push' as const,
          consumer: '',
        })),
      )
    p.send('other')
    const receive = { type: 'Receive', queue: 'other', poll: 'late', max: 1, waitMs: 30_000 } as const
    expect(p.got(p.poll('other', { waitMs: 30_000, batchWaitMs: 1_000 }))).toEqual([1])
    const { error } = p.ask({ ...receive, mode: 'push', consumer: '' })
    expect(error).toMatchObject({ id: 'Busy', retryAfterMs: 1_000 })
  })
})

describe('receives without end', () => {
  it('leave nothing behind, although one that waits is ahead of them', () => {
    const p = withQueue()
    p.poll('q', { waitMs: 60_000, max: 10, batchWaitMs: 60_000 })
    for (let i = 0; i < 5_000; i++) p.receive('q')
    expect(p.own.polls.size).toBe(1)
    expect(p.own.of(p.state.queues.get(1)!.subs[0]!).polls.length).toBeLessThan(1_100)
  })
  it('that are taken back before their time leave nothing behind either', () => {
    const p = withQueue()
    for (let i = 0; i < 5_000; i++) {
      p.poll('q', { waitMs: 60_000, poll: 'mine' })
      p.turn({ type: 'CancelReceive', poll: 'mine' })
    }
    expect(p.own.pollTimers.size).toBeLessThan(1_100)
  })
})

describe('a receive is refused', () => {
  const p = withQueue()
  const wrong: [string, object][] = [
    ['max', { max: 0 }],
    ['max', { max: limits.messagesPerReceiveMax + 1 }],
    ['max', { max: Number.NaN }],
    ['max', { max: 1.5 }],
    ['waitMs', { waitMs: -1 }],
    ['waitMs', { waitMs: limits.receiveWaitMsMax + 1 }],
    ['batchWaitMs', { batchWaitMs: Number.POSITIVE_INFINITY }],
    ['leaseMs', { leaseMs: -1 }],
    ['leaseMs', { leaseMs: limits.leaseMsMax + 1 }],
    ['bytesMax', { bytesMax: 0 }],
    ['max', { max: 3n }],
  ]
  it.each(wrong)('for a %s out of range: %o', (name, change) => {
    const command = {
      type: 'Receive',
      queue: 'q',
      poll: 'x',
      max: 1,
      mode: 'push',
      consumer: '',
      ...change,
    } as const
    const { error } = p.ask(command)
    expect(error?.id).toBe('InvalidArgument')
    expect(error?.message).toContain(name)
  })
  it('for a queue that is not there', () => {
    const { error } = p.ask({ type: 'Receive', queue: 'x', poll: 'x', max: 1, mode: 'push', consumer: '' })
    expect(error?.id).toBe('UnknownQueue')
  })
})
