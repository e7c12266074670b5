import { encodeEnvelope, limits } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { TestPartition } from '../testing/TestPartition.ts'

const by = { name: 'tester', origin: 'test', reason: 'they are stale' }

const withQueue = (settings: Parameters<TestPartition['create']>[1] = {}): TestPartition => {
  const p = new TestPartition()
  p.create('q', settings)
  return p
}

const discard = (p: TestPartition, state: 'Available' | 'WaitingRetry', numbers: number[]): number => {
  const command = { type: 'Discard', queue: 'q', subscription: 'main', state, numbers, by } as const
  return (p.ok(command) as { readonly discarded: number }).discarded
}

describe('a discard', () => {
  it('ends those of the messages that are available, and leaves those that somebody works on', () => {
    const p = withQueue()
    p.send('q', 5)
    const held = p.receive('q', { max: 2 })!
    expect(held.numbers).toEqual([1, 2])
    expect(discard(p, 'Available', [1, 4])).toBe(2)
    expect(p.counts('q')).toMatchObject({ available: 1, inflight: 2, discarded: 2 })
    expect(p.receive('q')!.numbers).toEqual([5, 1])
  })

  it('is on record with who did it and why', () => {
    const p = withQueue()
    p.send('q', 1)
    discard(p, 'Available', [1, 1])
    expect(p.events.findLast(({ type }) => type === 'Discarded')).toMatchObject({
      numbers: [1, 1],
      reason: 'operator',
      by,
    })
  })

  it('ends what waits for a retry, and what failed and is available again only where that is asked for', () => {
    const p = withQueue()
    p.send('q', 3)
    const held = p.receive('q', { max: 3 })!
    p.settle('Retry', held, { numbers: [1, 2], delayMs: 60_000 })
    p.settle('Release', held, { numbers: [3] })
    expect(discard(p, 'WaitingRetry', [1, 3])).toBe(2)
    expect(discard(p, 'WaitingRetry', [1, 3])).toBe(0)
    expect(discard(p, 'Available', [1, 3])).toBe(1)
    expect(p.counts('q')).toMatchObject({ available: 0, waitingRetry: 0, discarded: 3 })
  })

  it('lets a group go on that waited for a message of it', () => {
    const p = withQueue({ groups: 'ordered' })
    const messages = [1, 2].map((byte) => encodeEnvelope(Uint8Array.of(byte)))
    p.ok({ type: 'Enqueue', queue: 'q', producer: 'p', send: 1, messages, groups: ['a', 'a'] })
    const first = p.receive('q', { max: 1 })!
    p.settle('Retry', first, { delayMs: 60_000 })
    const waiting = p.poll('q', { waitMs: 60_000 })
    expect(p.got(waiting)).toBeUndefined()
    discard(p, 'WaitingRetry', [1, 1])
    expect(p.got(waiting)).toEqual([2])
  })

  it('leaves the messages of other subscriptions alone, and those that are delayed', () => {
    const p = withQueue()
    p.send('q', 1, { delayMs: 60_000 })
    p.send('q', 1)
    expect(discard(p, 'Available', [1, 2])).toBe(1)
    expect(p.counts('q')).toMatchObject({ delayed: 1, discarded: 1 })
  })

  it('names messages in their order, and no more than there is room for', () => {
    const p = withQueue()
    for (const numbers of [[2, 1, 1, 1], [1, 0], [1], [0, 1], [1, limits.discardMessagesMax + 1]]) {
      const command = {
        type: 'Discard',
        queue: 'q',
        subscription: 'main',
        state: 'Available',
        numbers,
        by,
      } as const
      expect(p.ask(command).error?.id, `${numbers}`).toBe('InvalidArgument')
    }
  })
})
