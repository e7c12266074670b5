import type { CommandOf } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { nextTimerAt, Ownership, restore, snapshot } from '../index.ts'
import { TestPartition } from '../testing/TestPartition.ts'

const given = (retentionMs = 10_000): TestPartition => {
  const p = new TestPartition()
  p.create('q', { retentionMs })
  return p
}
const expired = { type: 'Discarded', reason: 'expired', cause: 'retention' }

describe('a message that is not final when its retention ends', () => {
  it('is discarded although nobody ever touched it', () => {
    const p = given()
    p.send('q', 3)
    expect(p.pass(9_999)).toEqual([])
    expect(p.pass(500)).toMatchObject([{ ...expired, numbers: [1, 3] }])
    expect(p.counts('q')).toMatchObject({ discarded: 3, available: 0 })
    expect(nextTimerAt(p.own)).toBe(Number.POSITIVE_INFINITY)
  })
  it('has the partition look by itself when it ends, although nobody ever touched it', () => {
    const p = given()
    p.send('q', 3)
    expect(nextTimerAt(p.own)).toBe(p.now + 10_000)
  })
  it('is looked for behind a checkpoint too', () => {
    const p = given()
    p.send('q', 3)
    expect(nextTimerAt(new Ownership(restore(snapshot(p.state))))).toBeLessThanOrEqual(p.now + 10_000)
  })
  it('is discarded to the millisecond when it was touched', () => {
    const p = given()
    p.send('q')
    p.settle('Release', p.receive('q')!)
    expect(p.pass(9_999)).toEqual([])
    expect(p.pass(1)).toMatchObject([expired])
  })
  it('is never delivered, even before the sweep comes by', () => {
    const p = given()
    p.send('q', 2)
    p.pass(9_900)
    p.send('q', 2)
    p.own.sweep.at = p.now + 100_000
    p.now += 200
    expect(p.receive('q')!.numbers).toEqual([3, 2])
    expect(p.events).toMatchObject([{ ...expired, numbers: [1, 2] }, { type: 'Delivered' }])
  })
  it('is never delivered, even when its lease ends in the very millisecond', () => {
    const p = given()
    p.send('q')
    p.receive('q', { leaseMs: 10_000 })
    const poll = p.poll('q', { waitMs: 60_000 })
    expect(p.pass(10_000)).toMatchObject([{ type: 'LeaseExpired' }, expired])
    expect(p.got(poll)).toBeUndefined()
  })
  it('stays with the consumer that holds it, and goes when it comes back', () => {
    const p = given()
    p.send('q')
    const d = p.receive('q', { leaseMs: 20_000 })!
    expect(p.pass(15_000)).toEqual([])
    p.settle('Retry', d)
    p.pass(1)
    expect(p.counts('q')).toMatchObject({ discarded: 1, available: 0 })
  })
  it('goes when its pause is over', () => {
    const p = given()
    p.send('q')
    p.settle('Retry', p.receive('q')!, { delayMs: 12_000 })
    expect(p.pass(11_999)).toEqual([])
    expect(p.pass(2)).toMatchObject([{ type: 'RetryDue' }, expired])
  })
  it('goes behind a delay that was part of its time', () => {
    const p = given()
    p.send('q', 1, { delayMs: 9_000 })
    p.pass(9_500)
    expect(p.counts('q').available).toBe(1)
    p.pass(750)
    expect(p.counts('q').discarded).toBe(1)
  })
  it('goes in order with the young ones behind it left alone', () => {
    const p = given()
    p.send('q')
    p.pass(5_000)
    p.send('q')
    p.pass(5_250)
    expect(p.counts('q')).toMatchObject({ discarded: 1, available: 1 })
    p.pass(5_000)
    expect(p.counts('q')).toMatchObject({ discarded: 2, available: 0 })
  })
})

describe('a change of retention', () => {
  it('applies to what is there, touched or not', () => {
    const p = given()
    p.send('q', 2)
    p.settle('Release', p.receive('q', { max: 1 })!)
    p.configure('q', { retentionMs: 2_000 })
    expect(p.pass(1_999)).toEqual([])
    p.pass(251)
    expect(p.counts('q').discarded).toBe(2)
  })
  it('may keep it longer', () => {
    const p = given()
    p.send('q', 2)
    p.settle('Release', p.receive('q', { max: 1 })!)
    p.configure('q', { retentionMs: 20_000 })
    p.pass(19_999)
    expect(p.counts('q').discarded).toBe(0)
    p.pass(251)
    expect(p.counts('q').discarded).toBe(2)
  })
})

describe('retention of very many runs', () => {
  it('ends over several turns, each of a bounded size', () => {
    const p = given(1_000)
    p.create('other', { retentionMs: 1_000 })
    // Each message is a run, as its neighbours have another delay.
    const delaysMs = Array.from({ length: 1_000 }, (_, i) => 1 + (i % 2))
    for (let i = 0; i < 3; i++) for (const queue of ['q', 'other']) p.send(queue, 1_000, { delaysMs })
    p.pass(500)
    p.pass(0)
    expect(p.state.runs.used).toBe(6_000)
    p.now += 1_000
    p.turn()
    expect(p.events.length).toBe(5_000)
    p.pass(0)
    expect([p.counts('q').discarded, p.counts('other').discarded]).toEqual([3_000, 3_000])
    expect(p.state.runs.used).toBe(0)
  })
})

describe('retention of very many groups', () => {
  const enqueue = { type: 'Enqueue', queue: 'q', producer: 'p' } as const
  const grouped = (count: number, retentionMs: number): TestPartition => {
    const p = new TestPartition()
    p.create('q', { retentionMs, groups: 'ordered' })
    // In one turn: the replay of each is compared as a whole.
    const sent = p.turn(...Array.from({ length: count / 1_000 }, (_, i) => sending(i * 1_000, 1_000)))
    for (const token of sent) expect(p.answers.get(token)?.answer?.ok).toBeDefined()
    return p
  }
  const sending = (from: number, count: number): CommandOf<'Enqueue'> => {
    const groups = Array.from({ length: count }, (_, i) => `g${from + i}`)
    return { ...enqueue, send: ++sends, messages: groups.map(() => new Uint8Array(1)), groups }
  }
  const send = (p: TestPartition, from: number, count: number): void => {
    p.ok(sending(from, count))
  }
  let sends = 0
  it('is looked at over several turns, each of a bounded size', () => {
    const p = grouped(25_000, 10_000)
    p.configure('q', { retentionMs: 20_000 })
    p.turn()
    expect(nextTimerAt(p.own)).toBe(p.now)
    p.pass(0)
    expect(nextTimerAt(p.own)).toBe(p.now + 20_000)
  })
  it('ends everywhere when it is shortened while it is looked at', () => {
    const p = grouped(25_000, 100_000)
    p.configure('q', { retentionMs: 50_000 })
    p.turn()
    expect(nextTimerAt(p.own)).toBe(p.now)
    p.configure('q', { retentionMs: 1_000 })
    p.pass(1_000)
    expect(p.counts('q')).toMatchObject({ discarded: 25_000, available: 0 })
  })
  it('ends on time for what came while the others were looked at', () => {
    const p = grouped(25_000, 20_000)
    p.configure('q', { retentionMs: 30_000 })
    p.turn()
    send(p, 0, 1_000)
    p.pass(0)
    p.configure('q', { retentionMs: 10_000 })
    p.turn()
    const came = p.now
    send(p, 30_000, 1_000)
    p.pass(9_999)
    expect(nextTimerAt(p.own)).toBe(came + 10_000)
    p.pass(500)
    expect(p.counts('q')).toMatchObject({ discarded: 27_000, available: 0 })
  })
  it('goes on where the groups that it would have come to are gone', () => {
    const p = grouped(25_000, 100_000)
    p.configure('q', { retentionMs: 50_000 })
    p.turn()
    p.turn({ type: 'PurgeQueue', queue: 'q', by: { name: 'a', origin: 'b' } })
    send(p, 50_000, 1_000)
    p.pass(0)
    expect(nextTimerAt(p.own)).toBe(p.now + 50_000)
    p.pass(50_000)
    expect(p.counts('q')).toMatchObject({ discarded: 26_000, available: 0 })
  })
})

describe('a queue that is deleted when it is idle', () => {
  const deleted = [{ type: 'QueueDeleted', by: { name: 'engine', origin: 'idle' } }]
  const idle = (): TestPartition => {
    const p = new TestPartition()
    p.create('q', { idleMs: 10_000 })
    return p
  }
  it('goes with what is in it, when nobody has received from it for so long', () => {
    const p = idle()
    p.send('q', 3)
    expect(p.pass(9_999)).toEqual([])
    expect(p.pass(500)).toMatchObject(deleted)
    expect(nextTimerAt(p.own)).toBe(Number.POSITIVE_INFINITY)
  })
  it('stays while somebody waits, and as long again afterwards', () => {
    const p = idle()
    p.poll('q', { waitMs: 60_000 })
    expect(p.pass(60_000)).toEqual([])
    expect(p.pass(9_000)).toEqual([])
    p.receive('q')
    expect(p.pass(9_000)).toEqual([])
    expect(p.pass(1_500)).toMatchObject(deleted)
  })
  it('counts anew from a change of its settings, and from an owner that takes over', () => {
    const p = new TestPartition()
    p.create('q')
    p.pass(60_000)
    p.turn({ type: 'ConfigureQueue', queue: 'q', config: { idleMs: 10_000 }, by: { name: 'a', origin: 'b' } })
    expect(p.pass(9_000)).toEqual([])
    p.record({ type: 'ClockResumed', now: p.now, gapMs: 0 })
    expect(p.pass(9_000)).toEqual([])
    expect(p.pass(1_500)).toMatchObject(deleted)
  })
  it('is the exception', () => {
    const p = new TestPartition()
    p.create('q')
    expect(p.pass(14 * 86_400_000)).toEqual([])
  })
})

describe('a tenant whose first messages are over', () => {
  it('keeps its turn, so that what comes later is delivered', () => {
    const p = new TestPartition()
    p.create('q', { retentionMs: 1_000, groups: 'fair' })
    const enqueue = { type: 'Enqueue', queue: 'q', producer: 'p' } as const
    const messages = [new Uint8Array(3), new Uint8Array(3)]
    p.ok({ ...enqueue, send: 1, messages, groups: ['g', 'g'] })
    p.own.sweep.at = p.now + 100_000
    p.now += 1_000
    p.poll('q', { waitMs: 60_000 })
    p.ok({ ...enqueue, send: 2, messages, groups: ['g', 'g'] })
    p.pass(1)
    expect(p.counts('q')).toMatchObject({ discarded: 2, inflight: 2, available: 0 })
  })
})
