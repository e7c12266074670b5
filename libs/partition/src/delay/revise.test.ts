import type { CommandOf } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { TestPartition } from '../testing/TestPartition.ts'

const by = { name: 'tester', origin: 'test' }
const day = 86_400_000

/** Messages 1 to 5 of queue 1 are due in ten seconds, in one run. */
const given = (): TestPartition => {
  const p = new TestPartition()
  p.create('q')
  p.send('q', 5, { delayMs: 10_000 })
  return p
}
let sends = 0
const recall = (p: TestPartition, number: number, queue = 1) =>
  p.ask({ type: 'Recall', queue, number, producer: 'reviser', send: ++sends, by })
const move = (
  p: TestPartition,
  number: number,
  to: Pick<CommandOf<'Reschedule'>, 'delayMs' | 'dueAt'>,
  send = ++sends,
) => p.ask({ type: 'Reschedule', queue: 1, number, ...to, producer: 'reviser', send, by })
const elapsed = (...numbers: number[]) => ({ type: 'DelayElapsed', numbers })

describe('a recalled message', () => {
  it.each([
    [1, [2, 4]],
    [3, [1, 2, 4, 2]],
    [5, [1, 4]],
  ])('is discarded, wherever it stands in its run: %i', (number, left) => {
    const p = given()
    expect(recall(p, number).ok).toEqual({ queue: 1, number })
    expect(p.events).toMatchObject([{ type: 'Recalled', queue: 1, number, by }])
    expect(p.counts('q')).toMatchObject({ delayed: 4, discarded: 1 })
    p.pass(10_000)
    expect(p.receive('q')!.numbers).toEqual(left)
  })
  it('is discarded for every subscription that it was for, and for no other', () => {
    const p = given()
    p.ok({ type: 'CreateSubscription', queue: 'q', subscription: 'late', settings: {}, by })
    p.send('q', 1, { delayMs: 10_000 })
    recall(p, 2)
    recall(p, 6)
    const { subscriptions } = p.ok({ type: 'DescribeQueue', queue: 'q' })
    expect(subscriptions.map(({ counts }) => [counts.sent, counts.discarded])).toEqual([
      [2, 2],
      [1, 1],
    ])
  })
  it('cannot be recalled again, nor moved', () => {
    const p = given()
    recall(p, 2)
    expect([recall(p, 2).error?.id, move(p, 2, { delayMs: 5 }).error?.id]).toEqual([
      'NotDelayed',
      'NotDelayed',
    ])
  })
  it('is recalled by a repeat whose first try had an effect', () => {
    const p = given()
    const command = { type: 'Recall', queue: 1, number: 2, producer: 'r', send: 1, by } as const
    p.ask(command)
    expect(p.ask(command).ok).toEqual({ queue: 1, number: 2 })
    expect(p.events).toEqual([])
  })
  it('takes many others with it and never the wrong one', () => {
    const p = new TestPartition()
    p.create('q')
    const each = <C>(of: (i: number) => C): C[] => Array.from({ length: 1_500 }, (_, i) => of(i))
    const messages = [1, 2, 3].map(() => new Uint8Array(9))
    const enqueue = { type: 'Enqueue', queue: 'q', producer: 'p', messages } as const
    for (let i = 0; i < 1_500; i += 50)
      p.turn(...each((k) => ({ ...enqueue, send: i + k + 1, delayMs: 10_000 + (k % 7) })).slice(0, 50))
    p.turn(
      ...each(
        (i) => ({ type: 'Recall', queue: 1, number: 3 * i + 2, producer: `r${i}`, send: 1, by }) as const,
      ),
    )
    expect(p.events).toHaveLength(1_500)
    p.pass(10_006)
    expect(p.counts('q')).toMatchObject({ delayed: 0, available: 3_000, discarded: 1_500 })
    expect(recall(p, 1).error?.id).toBe('NotDelayed')
    expect(p.state.runs.used).toBe(p.counts('q').available)
  })
})

describe('a rescheduled message', () => {
  it('is due at its new time, and the others of its run at theirs', () => {
    const p = given()
    expect(move(p, 3, { delayMs: 20_000 }).ok).toEqual({ queue: 1, number: 3 })
    expect(p.events).toMatchObject([{ type: 'Rescheduled', number: 3, dueAt: p.now + 20_000, by }])
    expect(p.pass(10_000)).toMatchObject([elapsed(1, 2), elapsed(4, 2)])
    expect(p.pass(9_999)).toEqual([])
    expect(p.pass(1)).toMatchObject([elapsed(3, 1)])
  })
  it('can be due earlier, and at once', () => {
    const p = given()
    move(p, 5, { delayMs: 1_000 })
    move(p, 1, { delayMs: 0 })
    expect(p.events).toMatchObject([{ type: 'Rescheduled', dueAt: p.now }, elapsed(1, 1)])
    expect(p.pass(1_000)).toMatchObject([elapsed(5, 1)])
  })
  it('can be given a time; one in the past means at once', () => {
    const p = given()
    move(p, 2, { dueAt: p.now + 15_000 })
    move(p, 3, { dueAt: p.now - 1 })
    expect(p.events).toMatchObject([{ type: 'Rescheduled', number: 3, dueAt: p.now }, elapsed(3, 1)])
    p.pass(14_999)
    expect(p.counts('q')).toMatchObject({ delayed: 1 })
    expect(p.pass(1)).toMatchObject([elapsed(2, 1)])
  })
  it('can be moved again and again, and recalled at last', () => {
    const p = given()
    for (const delayMs of [5_000, 50_000, 1_000, 20_000]) move(p, 4, { delayMs })
    p.pass(19_000)
    expect(recall(p, 4).error).toBeUndefined()
    expect(p.counts('q')).toMatchObject({ delayed: 0, available: 4, discarded: 1 })
  })
  it('keeps its tag', () => {
    const p = new TestPartition()
    p.create('q')
    const settings = { tags: ['red'] }
    p.ok({ type: 'CreateSubscription', queue: 'q', subscription: 'reds', settings, by })
    const messages = [new Uint8Array(3), new Uint8Array(3)]
    p.ok({ type: 'Enqueue', queue: 'q', producer: 't', send: 1, messages, delayMs: 9, tags: ['red', 'blue'] })
    move(p, 1, { delayMs: 20 })
    move(p, 2, { delayMs: 20 })
    p.pass(20)
    expect(p.receive('q', { subscription: 'reds' })!.numbers).toEqual([1, 1])
  })
  it('stays as it is when the repeat comes of a request that had an effect', () => {
    const p = given()
    const send = ++sends
    move(p, 1, { delayMs: 1_000 }, send)
    p.pass(500)
    expect(move(p, 1, { delayMs: 1_000 }, send).ok).toEqual({ queue: 1, number: 1 })
    expect(p.pass(500)).toMatchObject([elapsed(1, 1)])
  })
})

describe('what cannot be recalled or moved is refused:', () => {
  it('a message that is due, was delivered, or never was', () => {
    const p = given()
    p.pass(10_000)
    p.receive('q', { max: 1 })
    expect([recall(p, 1).error?.id, recall(p, 2).error?.id]).toEqual(['NotDelayed', 'NotDelayed'])
    expect([recall(p, 6).error?.id, recall(p, 0).error?.id]).toEqual(['UnknownMessage', 'UnknownMessage'])
    expect(recall(p, 1, 7).error?.id).toBe('UnknownMessage')
  })
  it.each([
    [{}, /either/],
    [{ delayMs: 1, dueAt: 1 }, /either/],
    [{ delayMs: -1 }, /from now to/],
    [{ delayMs: 1.5 }, /from now to/],
    [{ dueAt: Number.NaN }, /from now to/],
    [{ delayMs: 14 * day + 1 }, /14 d ahead/],
    [{ delayMs: 4 * day }, /kept until/],
  ])('a time that cannot be: %o', (to, message) => {
    const p = given()
    expect(move(p, 1, to).error).toMatchObject({
      id: 'InvalidArgument',
      message: expect.stringMatching(message),
    })
    expect(p.events).toEqual([])
  })
})

it('a message that was moved keeps its new time behind a checkpoint', () => {
  const p = given()
  move(p, 3, { delayMs: 60_000 })
  const fork = p.fork()
  expect(fork.pass(10_000)).toMatchObject([elapsed(1, 2), elapsed(4, 2)])
  expect(fork.pass(50_000)).toMatchObject([elapsed(3, 1)])
})
