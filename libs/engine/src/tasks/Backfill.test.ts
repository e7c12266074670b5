import { setImmediate as nextTick } from 'node:timers/promises'
import { createMemoryLog, decodeRecord, encodeRecord, type DecodedFrame, type MemoryLog } from '@kiroku/log'
import { readyRuns } from '@kiroku/partition'
import type { Command, Delivery, LogEvent, StartPosition } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { body, by, receive, startTestNode, text } from '../testing/startTestNode.ts'

type Running = Awaited<ReturnType<typeof startTestNode>>

const send = (n: number, ...bodies: string[]): Extract<Command, { type: 'Enqueue' }> => ({
  type: 'Enqueue',
  queue: 'mail',
  producer: 'p',
  send: n,
  messages: bodies.map(body),
})
const subscribe = (start: StartPosition, subscription = 's') =>
  ({ type: 'CreateSubscription', queue: 'mail', subscription, settings: {}, start, by }) as const
const large = (name: string): string => name.padEnd(70_000)
/** Records that leave no room for such a body among others. */
const small = { recordBytesMax: 500_000 }

const ack = ({ ask }: Running, { queue, sub, delivery, numbers }: Delivery) =>
  ask<'Ack'>({ type: 'Ack', items: [{ queue, sub, delivery, numbers }] })

const texts = async ({ ask }: Running, subscription = 's', max = 1_000): Promise<string[]> => {
  const wait = { ...receive('mail', max, 5_000), bytesMax: 1e9, subscription }
  const { delivery } = await ask<'Receive'>(wait)
  return (delivery?.messages ?? []).map((m) => text(m).trim())
}

const events = async (log: MemoryLog): Promise<LogEvent[]> => {
  const found: LogEvent[] = []
  for await (const { data } of (await log.partition(0)).read(1)) {
    const record = decodeRecord(data)
    if (record.kind === 'frame') found.push(...record.events)
  }
  return found
}

const begin = async (log = createMemoryLog({ partitions: 1 }, small), options = {}) => {
  const one = await startTestNode(log, 'one', options)
  await one.ask({ type: 'CreateQueue', queue: 'mail', config: {}, by })
  return { log, one }
}

/** Sends and settles until this many records are trimmed from the log. */
const churn = async (log: MemoryLog, one: Running, records: number, from: number): Promise<number> => {
  let n = from
  const part = await log.partition(0)
  await waitUntil(async () => {
    await one.ask(send(++n, `${n}`.padEnd(20_000)))
    const { delivery } = await one.ask(receive('mail'))
    await ack(one, delivery!)
    return (await part.state()).firstSeq > records
  })
  return n
}

describe('the past of a subscription', () => {
  it('is restored in facts of a bounded size, in order', async () => {
    const { log, one } = await begin()
    const sends = Array.from({ length: 2_500 }, (_, i) => one.ask(send(i + 1, `${i + 1}`)))
    await Promise.all(sends)
    await one.ask(subscribe('earliest'))
    await one.ask(send(2_501, 'new'))
    await waitUntil(() => one.node.actors.get(0)!.state.filling.size === 0)
    const got: string[] = []
    while (got.length < 2_501) got.push(...(await texts(one)))
    expect(got.slice(0, 3)).toEqual(['1', '2', '3'])
    expect(got).toEqual([...Array.from({ length: 2_500 }, (_, i) => `${i + 1}`), 'new'])
    const restored = (await events(log)).filter((e) => e.type === 'RunsRestored')
    for (const { runs } of restored) expect(runs.length / 6).toBeLessThanOrEqual(1_000)
    await one.close()
  })

  it('goes on where it was when its owner is gone, whenever that is', async () => {
    const { log, one } = await begin()
    const sends = Array.from({ length: 3_500 }, (_, i) => ({
      ...send(i + 1, `${i + 1}`),
      producer: `p${i % 50}`,
    }))
    // Each in a run of its own.
    for (let i = 0; i < sends.length; i += 50) await one.node.request(0, sends.slice(i, i + 50))
    await one.ask(subscribe('earliest'))
    const sub = () => one.node.actors.get(0)!.state.names.get('mail')!.named('s')!
    while (sub().fill?.done[0] === 0) await nextTick()
    expect(sub().fill).toBeDefined()
    await one.close()
    const two = await startTestNode(log, 'two')
    const got: string[] = []
    while (got.length < 3_500) got.push(...(await texts(two)))
    expect(got).toEqual(sends.map((_, i) => `${i + 1}`))
    await two.close()
  })
})

describe('the past of a subscription whose record was not stored', () => {
  it('is restored as a whole where one frame brought more than one fact restores', async () => {
    const { log, one } = await begin()
    const tags = Array.from({ length: 1_000 }, (_, i) => (i % 2 === 0 ? 'red' : 'blue'))
    const names = (n: number) => tags.map((_, i) => `${n}.${i}`)
    const sends = [1, 2, 3].map((n) => ({ ...send(n, ...names(n)), tags }))
    await one.node.request(0, sends)
    await one.ask(subscribe('earliest'))
    log.faults.onAppend(0, 'displaced')
    await waitUntil(() => one.node.actors.get(0)!.state?.filling.size === 0)
    const got: string[] = []
    while (got.length < 3_000) {
      const more = await texts(one)
      if (more.length === 0) break
      got.push(...more)
    }
    expect(got).toEqual([1, 2, 3].flatMap(names))
    await one.close()
  })
})

describe('a start that only the log knows', () => {
  it('is a time: the first message that arrived from then on', async () => {
    const { one } = await begin()
    await one.ask(send(1, 'early'))
    const at = one.node.actors.get(0)!.state.at
    await waitUntil(() => one.node.actors.get(0)!.now() > at + 20)
    const time = one.node.actors.get(0)!.now()
    await one.ask(send(2, 'late'))
    await one.ask(send(3, 'later'))
    await waitUntil(() => one.node.actors.get(0)!.now() > time)
    await one.ask(subscribe({ time }))
    expect(await texts(one)).toEqual(['late', 'later'])
    await one.ask(subscribe({ time: 0 }, 'all'))
    expect(await texts(one, 'all')).toEqual(['early', 'late', 'later'])
    await one.close()
  })

  it('may be as far back as the record goes, and no further', async () => {
    const log = createMemoryLog({ partitions: 1, recordBytes: 200_000 }, small)
    const { one } = await begin(log, { checkpoints: { bytesMin: 50_000, ageMs: 1e9 } })
    const began = one.node.actors.get(0)!.now()
    await churn(log, one, 40, 0)
    const errorOf = async (start: StartPosition): Promise<string | undefined> =>
      (await one.node.request(0, [subscribe(start, 'x')])).answers[0]!.error?.id
    const before = await events(log)
    expect(await errorOf({ number: 1 })).toBe('BeyondRecord')
    expect(await errorOf({ time: began })).toBe('BeyondRecord')
    const after = await events(log)
    expect(after.filter((e) => e.type === 'SubscriptionCreated')).toEqual([])
    expect(after.length).toBeGreaterThanOrEqual(before.length - 100)
    await one.ask(subscribe('earliest'))
    const [oldest] = await texts(one, 's', 1)
    await one.ask(subscribe({ number: Number(oldest) }, 'number'))
    expect(await texts(one, 'number', 1)).toEqual([oldest])
    expect(await errorOf({ number: Number(oldest) - 1 })).toBe('BeyondRecord')
    await one.close()
  })

  it('goes without a body ahead of its frame that was trimmed, as a lost end of the log had said', async () => {
    const options = { checkpoints: { bytesMin: 50_000, ageMs: 1e9 } }
    const { log, one } = await begin(undefined, options)
    await one.ask(send(1, large('a'), 'b'))
    await ack(one, (await one.ask({ ...receive('mail'), bytesMax: 1e9 })).delivery!)
    await waitUntil(() => one.node.actors.get(0)!.describe().checkpointSeq > 0)
    await one.close()
    const part = await log.partition(0)
    const { lastSeq } = await part.state()
    const last = decodeRecord((await part.get(lastSeq))!.data) as DecodedFrame
    const frame = { epoch: last.epoch, at: last.at, sections: [] }
    for await (const { seq, data } of part.read(1)) {
      if (decodeRecord(data).kind !== 'body') continue
      log.faults.write(
        0,
        encodeRecord({ ...frame, events: [{ type: 'Trimmed', upTo: seq }] }, last.hash).bytes,
      )
      await part.trim(seq)
    }
    const two = await startTestNode(log, 'two', options)
    await two.ask(subscribe('earliest'))
    await two.ask(send(2, 'c'))
    expect([...(await texts(two, 's', 1)), ...(await texts(two, 's', 1))]).toEqual(['b', 'c'])
    await two.close()
  })
})

describe('trimming', () => {
  it.each(['of the same owner', 'of the next one'])(
    'leaves the bodies that restored messages name, large ones too, until they are settled: that %s',
    async (whose) => {
      const log = createMemoryLog({ partitions: 1, recordBytes: 250_000 }, small)
      const options = { checkpoints: { bytesMin: 50_000, ageMs: 1e9 } }
      const { one } = await begin(log, options)
      for (const [i, name] of ['a', 'b', 'c'].entries()) {
        await one.ask(send(i + 1, large(name), name))
        await ack(one, (await one.ask({ ...receive('mail'), bytesMax: 1e9 })).delivery!)
      }
      // A checkpoint that knows nothing of the past is there before it is asked for.
      await waitUntil(() => one.node.actors.get(0)!.describe().checkpointSeq > 0)
      await one.ask(subscribe('earliest'))
      await waitUntil(() => one.node.actors.get(0)!.state.filling.size === 0)
      const part = await log.partition(0)
      let n = 3
      const traffic = async (running: Running): Promise<void> => {
        for (let i = 0; i < 60; i++) {
          await running.ask(send(++n, `${n}`.padEnd(20_000)))
          await ack(running, (await running.ask(receive('mail'))).delivery!)
        }
      }
      if (whose === 'of the same owner') await traffic(one)
      await one.close()
      const two = await startTestNode(log, 'two', options)
      if (whose === 'of the next one') await traffic(two)
      const { firstSeq, lastSeq } = await part.state()
      expect([firstSeq < 20, lastSeq > 130]).toEqual([true, true])
      expect((await texts(two)).slice(0, 4)).toEqual(['a', 'a', 'b', 'b'])
      // Once they are settled the log can let go of them.
      await two.ask({ type: 'DeleteSubscription', queue: 'mail', subscription: 's', by })
      await churn(log, two, firstSeq + 20, n)
      await two.close()
    },
  )

  it('takes nothing from under a subscription that begins in the past, whenever it does', async () => {
    const log = createMemoryLog({ partitions: 1, recordBytes: 100_000 }, small)
    const { one } = await begin(log, { checkpoints: { bytesMin: 30_000, ageMs: 1e9 } })
    const part = await log.partition(0)
    let n = await churn(log, one, 40, 0)
    const traffic = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) {
        await one.ask(send(++n, `${n}`.padEnd(20_000)))
        await ack(one, (await one.ask(receive('mail'))).delivery!)
      }
    }
    // Checkpoints take so long to be stored that a subscription is filled meanwhile.
    log.faults.slow(2)
    for (let i = 0; i < 20; i++) {
      const subscription = `s${i}`
      const opened = one.ask(subscribe('earliest', subscription))
      await traffic(1 + (i % 4))
      await opened
      const { state } = one.node.actors.get(0)!
      await waitUntil(() => state.filling.size === 0)
      await traffic(1)
      const { firstSeq } = await part.state()
      const sub = state.names.get('mail')!.named(subscription)!
      for (const run of readyRuns(state, sub)) expect(state.runs.seq(run)).toBeGreaterThanOrEqual(firstSeq)
      await one.ask({ type: 'DeleteSubscription', queue: 'mail', subscription, by })
    }
    expect(one.node.actors.get(0)!.epoch).toBe(1)
    await one.close()
    log.faults.calm()
  })
})
