import { describe, expect, it } from 'vitest'
import { numbersOf, TestPartition } from '../testing/TestPartition.ts'

const by = { name: 'tester', origin: 'test' }

const discard = (queue: number, ...numbers: number[]) =>
  ({
    type: 'Discarded',
    queue,
    sub: 0,
    numbers: numbers.flatMap((n) => [n, 1]),
    reason: 'operator',
    cause: 'operator',
    error: 'its body was damaged',
  }) as const

/** The numbers that the queue still delivers, in order. */
const rest = (p: TestPartition, queue: string): number[] => {
  const numbers: number[] = []
  for (let d = p.receive(queue, { max: 100 }); d !== undefined; d = p.receive(queue, { max: 100 }))
    numbers.push(...numbersOf(d.numbers))
  return numbers
}

describe('an operator discards', () => {
  it.each([
    ['the first of a run', [1], [2, 3, 4, 5, 6]],
    ['one in the middle', [2], [1, 3, 4, 5, 6]],
    ['the last of a run', [3], [1, 2, 4, 5, 6]],
    ['the last of all', [6], [1, 2, 3, 4, 5]],
    ['several of several runs', [2, 5, 3], [1, 4, 6]],
    ['all of them', [6, 1, 3, 2, 5, 4], []],
  ])('%s, and the others stay in their order', (_, gone, left) => {
    const p = new TestPartition()
    const queue = p.create('a')
    p.send('a', 3)
    p.send('a', 3)
    p.record(discard(queue, ...gone))
    expect(rest(p, 'a')).toEqual(left)
    p.send('a', 1)
    expect(rest(p, 'a')).toEqual([7])
  })
  it('a delayed one, and the others still come when they are due', () => {
    const p = new TestPartition()
    const queue = p.create('a')
    p.send('a', 4, { delayMs: 400 })
    p.record(discard(queue, 2, 4))
    expect(rest(p, 'a')).toEqual([])
    p.pass(400)
    expect(rest(p, 'a')).toEqual([1, 3])
  })
  it('a leased one', () => {
    const p = new TestPartition()
    const queue = p.create('a')
    p.send('a', 2)
    p.receive('a', { max: 1 })
    p.record(discard(queue, 1))
    expect(rest(p, 'a')).toEqual([2])
  })
})

describe('a repair', () => {
  it('leaves receipts of deliveries that it gave up without effect, also behind a checkpoint', () => {
    const p = new TestPartition()
    p.create('a')
    p.send('a', 2)
    p.record(
      { type: 'OwnerChanged', epoch: 9, node: 'repair', part: 1, of: 1 },
      { type: 'Repaired', from: 5, upTo: 8, hash: '', skip: 1_000, note: '', by },
    )
    const lost = { queue: 1, sub: 0, delivery: 7, numbers: [1, 1] }
    for (const each of [p, p.fork()]) {
      const { refused } = each.ok({ type: 'Ack', items: [lost] })
      expect(refused.map(({ error }) => error)).toEqual(['UnknownReceipt'])
      expect(each.counts('a')).toMatchObject({ available: 2, committed: 0 })
    }
  })
  it('leaves out the numbers that were given up, and counts what is there', () => {
    const p = new TestPartition()
    p.create('a', { retriesMax: 0, deadLetter: { partition: 1, queue: 1, name: 'dead' } })
    p.send('a', 2)
    const first = p.receive('a', { max: 1 })!
    p.record(
      { type: 'OwnerChanged', epoch: 9, node: 'repair', part: 1, of: 1 },
      { type: 'Repaired', from: 5, upTo: 8, hash: '', skip: 1_000, note: '', by },
    )
    expect(p.state.repairedEpoch).toBe(9)
    p.send('a', 1)
    const second = p.receive('a', { max: 10 })!
    expect(second.numbers).toEqual([2, 1, 1_003, 1])
    expect(second.delivery).toBe(first.delivery + 1_001)
    p.settle('Retry', second)
    expect(p.events).toContainEqual(expect.objectContaining({ type: 'DeadLettered', forward: 1_001 }))
    expect(p.counts('a')).toMatchObject({ sent: 3, inflight: 1, deadLettered: 2 })
    expect(p.create('b')).toBeGreaterThan(1_000)
  })
  it('leaves out forward numbers of a lane that is there already, which its target may know', () => {
    const p = new TestPartition()
    p.create('a', { retriesMax: 0, deadLetter: { partition: 1, queue: 1, name: 'dead' } })
    p.send('a', 2)
    const first = p.receive('a', { max: 2 })!
    p.settle('DeadLetter', first, { numbers: [1] })
    p.record(
      { type: 'OwnerChanged', epoch: 9, node: 'repair', part: 1, of: 1 },
      { type: 'Repaired', from: 5, upTo: 8, hash: '', skip: 1_000, note: '', by },
    )
    p.settle('DeadLetter', first, { numbers: [2] })
    const [lane] = p.state.outbox.values()
    expect(lane!.entries.map(({ forward }) => forward)).toEqual([1, 1_002])
  })
})
