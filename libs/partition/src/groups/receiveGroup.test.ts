import { encodeEnvelope, type CommandOf, type QueueConfig } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { numbersOf, TestPartition } from '../testing/TestPartition.ts'

/** A queue "q", and what is asked of it in these tests. */
const started = (config: Partial<QueueConfig>) => {
  const p = new TestPartition()
  p.create('q', config)
  let sends = 0
  let polls = 0
  const send = (...groups: string[]): void => {
    const messages = groups.map(() => encodeEnvelope(new Uint8Array(4)))
    p.ok({ type: 'Enqueue', queue: 'q', producer: 'p', send: ++sends, messages, groups })
  }
  const asking = (options: Partial<CommandOf<'Receive'>>): CommandOf<'Receive'> => ({
    type: 'Receive',
    queue: 'q',
    poll: `poll ${++polls}`,
    max: 10,
    waitMs: 10_000,
    mode: 'push',
    consumer: 'c',
    ...options,
  })
  /** Receives in a turn of their own; returns their tokens. */
  const wait = (...groups: (string | undefined)[]): number[] =>
    p.turn(...groups.map((group) => asking(group === undefined ? {} : { group })))
  const got = (token: number): number[] | 'waits' | 'empty' => {
    const answer = p.answers.get(token)
    if (answer === undefined) return 'waits'
    return answer.delivery === undefined ? 'empty' : numbersOf(answer.delivery.numbers)
  }
  const settle = (type: 'Ack' | 'Retry', token: number): void =>
    void p.settle(type, p.answers.get(token)!.delivery!)
  const sub = () => p.state.queues.get(1)!.subs[0]!
  return { p, send, asking, wait, got, settle, sub }
}

describe.each(['fair', 'ordered'] as const)(
  'a receive of one group of a queue whose groups are %s',
  (groups) => {
    it('gets the messages of that group alone, as soon as they are there', () => {
      const { send, wait, got } = started({ groups })
      const [a] = wait('a')
      const [b] = wait('b')
      send('b', 'c', 'b')
      expect([got(a!), got(b!)]).toEqual(['waits', [1, 3]])
      send('a')
      expect(got(a!)).toEqual([4])
    })

    it('gets what lies there behind messages of others, however many', () => {
      const { send, wait, got } = started({ groups })
      send(...Array.from({ length: 500 }, (_, i) => `other ${i % 7}`), 'mine')
      expect(got(wait('mine')[0]!)).toEqual([501])
    })

    it('goes ahead of one of all groups, which gets the rest', () => {
      const { send, wait, got } = started({ groups })
      const [all, mine] = wait(undefined, 'mine')
      send('mine', 'other')
      expect([got(all!), got(mine!)]).toEqual([[2], [1]])
    })

    it('is served by those that wait for its group in their order', () => {
      const { send, wait, got, settle } = started({ groups })
      const [first, second] = wait('a', 'a')
      send('a')
      expect([got(first!), got(second!)]).toEqual([[1], 'waits'])
      settle('Ack', first!)
      send('a')
      expect(got(second!)).toEqual([2])
    })

    it('is answered empty when its wait is over, and leaves nothing behind', () => {
      const { p, send, wait, got, sub } = started({ groups })
      const [a] = wait('a')
      send('b')
      p.now += 10_000
      p.turn()
      expect(got(a!)).toBe('empty')
      expect([p.own.of(sub()).groupPolls.isEmpty, p.own.polls.size]).toEqual([true, 0])
    })

    it('gets what comes back of its group', () => {
      const { send, wait, got, settle } = started({ groups, retry: { kind: 'fixed', delayMs: 0 } })
      send('a', 'b')
      const [first] = wait('a')
      const [again] = wait('a')
      expect([got(first!), got(again!)]).toEqual([[1], 'waits'])
      settle('Retry', first!)
      expect(got(again!)).toEqual([1])
    })

    it('waits while deliveries are paused, and gets what came meanwhile', () => {
      const { p, send, wait, got } = started({ groups })
      const by = { name: 'tester', origin: 'test' }
      p.ok({ type: 'PauseDelivery', queue: 'q', by })
      const [a] = wait('a')
      send('a')
      expect(got(a!)).toBe('waits')
      p.ok({ type: 'ResumeDelivery', queue: 'q', by })
      expect(got(a!)).toEqual([1])
    })

    it('is held back by the limits of its subscription', () => {
      const { send, wait, got, settle } = started({ groups, inflightMax: 1 })
      const [first, b] = wait('a', 'b')
      send('a', 'b')
      expect([got(first!), got(b!)]).toEqual([[1], 'waits'])
      settle('Ack', first!)
      expect(got(b!)).toEqual([2])
    })

    it('goes on with the next generation of its subscription', () => {
      const { p, send, wait, got } = started({ groups })
      const [a] = wait('a')
      p.ok({ type: 'ResetSubscription', queue: 'q', subscription: 'main', by: { name: 't', origin: 'test' } })
      send('a')
      expect(got(a!)).toEqual([1])
    })

    it('passes over messages whose retention is over', () => {
      const { p, send, wait, got } = started({ groups, retentionMs: 1_001 })
      send('a')
      p.now += 900
      send('a')
      // Retention is looked at now, and then not for a while.
      p.configure('q', { retentionMs: 1_000 })
      p.now += 100
      expect(got(wait('a')[0]!)).toEqual([2])
    })
  },
)

describe('a receive of one group', () => {
  it('keeps a queue that is deleted when it is idle', () => {
    const { p, wait } = started({ groups: 'fair', idleMs: 5_000 })
    wait('a')
    p.now += 9_000
    p.turn()
    expect(p.state.queues.size).toBe(1)
    p.now += 1_000
    p.turn()
    p.now += 5_000
    p.turn()
    expect(p.state.queues.size).toBe(0)
  })

  it('is counted among those that wait, and told when the queue is deleted', () => {
    const { p, wait } = started({ groups: 'fair' })
    const [a] = wait('a', undefined)
    expect(p.ok({ type: 'DescribeQueue', queue: 'q' })).toMatchObject({ waitingPolls: 2 })
    p.ok({ type: 'DeleteQueue', queue: 'q', by: { name: 't', origin: 'test' } })
    expect(p.answers.get(a!)!.answer!.error).toMatchObject({ id: 'UnknownQueue' })
  })

  it.each([
    ['of a queue without groups', 'none', { group: 'a' }, /no groups/],
    ['with a name too long', 'fair', { group: 'g'.repeat(129) }, /128 characters/],
    ['that waits for a fuller batch', 'fair', { group: 'a', batchWaitMs: 1 }, /fuller batch/],
  ] as const)('is refused %s', (_, groups, options, message) => {
    const { p, asking } = started({ groups })
    const [token] = p.turn(asking(options))
    expect(p.answers.get(token!)!.answer!.error).toMatchObject({
      id: 'InvalidArgument',
      message: expect.stringMatching(message),
    })
  })
})
