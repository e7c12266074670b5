import { partitionOf } from '@kiroku/protocol'
import { decodeCheckpoint, startMemoryEngine, type MemoryEngine } from '@kiroku/testkit/engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Replay } from '../replay/Replay.ts'
import { MemorySavedStates } from '../testing/MemorySavedStates.ts'
import { ask, body, lastFrame, receive, send, tester } from '../testing/TestRecord.ts'
import { PastReader } from './PastReader.ts'
import { diffMoments } from './diffMoments.ts'
import { stateAt, type StateAtOptions } from './stateAt.ts'

let engine: MemoryEngine

beforeEach(async () => {
  engine = await startMemoryEngine({ partitions: 1 })
  await ask(engine, 0, { type: 'CreateQueue', queue: 'mail', config: {}, by: tester })
})
afterEach(() => engine.close())

const home = partitionOf('mail', 1)
const lastSeq = async () => (await lastFrame(engine.log, home)).seq
const options = { decodeCheckpoint, now: Number.MAX_SAFE_INTEGER }
const at = (asked: Parameters<typeof stateAt>[2], more: Partial<StateAtOptions> = {}) =>
  stateAt(engine.log, 'mail', asked, { ...options, ...more })

/** Sends four, of which one waits, delivers two and acknowledges one; says where each step ended. */
const live = async () => {
  await ask(engine, 0, {
    type: 'Enqueue',
    queue: 'mail',
    producer: 'p',
    send: 1,
    messages: ['a', 'b', 'c', 'd'].map(body),
    delaysMs: [0, 0, 0, 60_000],
  })
  const sent = await lastSeq()
  const { items, delivery } = await receive(engine, 0, 'mail', 2)
  const delivered = await lastSeq()
  await ask(engine, 0, { type: 'Ack', items: [{ ...items[0]!, numbers: [1, 1] }] })
  return { sent, delivered, acked: await lastSeq(), delivery }
}

describe('a queue at a moment', () => {
  it('has the counts of then, whatever came later', async () => {
    const { sent, delivered, acked } = await live()
    expect(await at({ seq: sent })).toMatchObject({
      queue: 'mail',
      counts: { sent: 4, available: 3, delayed: 1, inflight: 0 },
    })
    expect((await at({ seq: delivered })).counts).toMatchObject({ available: 1, inflight: 2, committed: 0 })
    expect((await at({ seq: acked })).counts).toMatchObject({ available: 1, inflight: 1, committed: 1 })
  })

  it('shows each message with its state, attempt and times', async () => {
    const { delivered, delivery } = await live()
    const { messages, messagesTotal, at: when } = await at({ seq: delivered })
    expect(messagesTotal).toBe(4)
    const leased = { state: 'Inflight', attempt: 1, delivery, subscription: 'main' }
    expect(messages).toMatchObject([
      { number: 4, state: 'Delayed', attempt: 0 },
      { number: 1, ...leased },
      { number: 2, ...leased },
      { number: 3, state: 'Available', attempt: 0, subscription: 'main' },
    ])
    expect(messages[0]!.dueAt).toBeGreaterThan(when)
    expect(messages[1]!.leaseUntil).toBeGreaterThan(when)
    expect(messages[1]!.messageId).toMatch(/-0-1-1$/)
  })

  it('shows them in pages, and only the requested ones', async () => {
    const { delivered } = await live()
    const numbers: number[] = []
    for (let after: string | undefined, done = false; !done;) {
      const page = await at({ seq: delivered }, { messagesMax: 3, ...(after === undefined ? {} : { after }) })
      numbers.push(...page.messages.map(({ number }) => number))
      after = page.next
      done = after === undefined
    }
    expect(numbers).toEqual([4, 1, 2, 3])
    const inflight = await at({ seq: delivered }, { states: ['Inflight'] })
    expect(inflight).toMatchObject({ messagesTotal: 2, messages: [{ number: 1 }, { number: 2 }] })
  })

  it('shows those that pass a filter, in pages, with their number', async () => {
    const { delivered } = await live()
    const numbersOf = async (where: string, more: Partial<StateAtOptions> = {}) =>
      (await at({ seq: delivered }, { where, ...more })).messages.map(({ number }) => number)
    expect(await numbersOf('attempt:0')).toEqual([4, 3])
    expect(await numbersOf('-state:inflight queue:mail partition:0')).toEqual([4, 3])
    expect(await numbersOf('number:>1 subscription:main', { states: ['Inflight'] })).toEqual([2])
    expect(await numbersOf('sent:<2000-01-01')).toEqual([])
    const first = await at({ seq: delivered }, { where: 'number:<=3', messagesMax: 2 })
    expect(first).toMatchObject({ messagesTotal: 3, messages: [{ number: 1 }, { number: 2 }] })
    const rest = await at({ seq: delivered }, { where: 'number:<=3', messagesMax: 2, after: first.next! })
    expect([rest.messages.map(({ number }) => number), rest.messagesTotal, rest.next]).toEqual([
      [3],
      3,
      undefined,
    ])
    await expect(numbersOf('error:timeout')).rejects.toMatchObject({ id: 'InvalidFilter' })
  })

  it('is found by time: the last frame that is not later', async () => {
    const { delivered } = await live()
    const looker = new PastReader(engine.log, options)
    const time = await looker.timeOf(0, delivered)
    const seq = await looker.seqOf(0, { time })
    expect(seq).toBeGreaterThanOrEqual(delivered)
    expect(await looker.timeOf(0, seq)).toBe(time)
    await looker.close()
    expect((await at({ time: time + 500_000 })).counts).toEqual((await at({ seq: await lastSeq() })).counts)
    expect((await at({ time: time + 500_000 })).at).toBe(time + 500_000)
  })

  it('keeps its past after it is deleted', async () => {
    const { acked } = await live()
    await ask(engine, 0, { type: 'DeleteQueue', queue: 'mail', by: tester })
    await expect(at({ seq: await lastSeq() })).rejects.toMatchObject({ id: 'UnknownQueue' })
    expect((await at({ seq: acked })).counts).toMatchObject({ committed: 1 })
  })

  it('refuses the future, and what was before the record, and says when that begins', async () => {
    const { acked } = await live()
    const { at: now } = await lastFrame(engine.log, 0)
    await expect(at({ seq: acked + 1 })).rejects.toMatchObject({ id: 'FutureMoment' })
    await expect(at({ time: now + 1 }, { now })).rejects.toMatchObject({ id: 'FutureMoment' })
    await expect(at({ time: 1 })).rejects.toMatchObject({
      id: 'BeyondRecord',
      message: expect.stringMatching(
        /^the record of partition \d+ begins .*\d{4}-\d\d-\d\dT.*, later than 1970/,
      ) as string,
    })
    await expect(at({ seq: 0 })).rejects.toMatchObject({ id: 'InvalidArgument' })
    await (await engine.log.partition(0)).trim(acked - 1)
    await expect(at({ seq: acked })).rejects.toMatchObject({ id: 'BeyondRecord' })
  })

  it('is the same with saved moments as without', async () => {
    const { delivered } = await live()
    const moments = new MemorySavedStates()
    const handle = await engine.log.partition(0)
    const keep = { work: 1, bytes: Infinity }
    await (await Replay.open(handle, { decodeCheckpoint, moments, keep })).run()
    expect(await at({ seq: delivered }, { moments })).toEqual(await at({ seq: delivered }))
  })
})

describe('two moments', () => {
  const diff = (a: number, b: number) => diffMoments(engine.log, 'mail', { seq: a }, { seq: b }, options)

  it('differ by what arrived, what changed, and what ended', async () => {
    const { sent, acked } = await live()
    await send(engine, 0, 'mail', 'e')
    const found = await diff(sent, await lastSeq())
    expect(found.counts).toMatchObject({ committed: { a: 0, b: 1 }, sent: { a: 4, b: 5 } })
    expect(found.appeared).toMatchObject({
      total: 1,
      messages: [{ number: 5, after: { state: 'Available' } }],
    })
    expect(found.changed).toMatchObject({
      total: 1,
      messages: [
        { number: 2, before: { state: 'Available', attempt: 0 }, after: { state: 'Inflight', attempt: 1 } },
      ],
    })
    expect(found.left).toMatchObject({ total: 1, messages: [{ number: 1, before: { state: 'Available' } }] })
    expect(await diff(acked, acked)).toMatchObject({
      appeared: { total: 0 },
      changed: { total: 0 },
      left: { total: 0 },
    })
  })

  it('differ by their settings', async () => {
    const before = await lastSeq()
    await ask(engine, 0, { type: 'ConfigureQueue', queue: 'mail', config: { retriesMax: 7 }, by: tester })
    const { config } = await diff(before, await lastSeq())
    expect(config).toEqual([{ setting: 'retriesMax', a: 3, b: 7 }])
  })

  it('may lie on both sides of the creation of a queue', async () => {
    const { acked } = await live()
    const found = await diffMoments(engine.log, 'mail', { seq: 1 }, { seq: acked }, options)
    expect(found).toMatchObject({ a: undefined, appeared: { total: 3 }, counts: { sent: { a: 0, b: 4 } } })
  })
})
