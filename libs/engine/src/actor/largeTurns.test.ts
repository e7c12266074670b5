import { createMemoryLog } from '@kiroku/log'
import { type Command, type CommandOf, type Delivery, encodeEnvelope } from '@kiroku/protocol'
import { ManualTime, waitUntil } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import {
  type One,
  create,
  itemOf,
  jittered,
  receive,
  recordBytesMax,
  records,
  send,
  start,
  wide,
} from '../testing/smallRecords.ts'
import { by, startTestNode } from '../testing/startTestNode.ts'

const took = async (one: One, count: number, of: Partial<CommandOf<'Receive'>> = {}): Promise<Delivery[]> => {
  const found: Delivery[] = []
  for (let left = count; left > 0;) {
    const answer = await one.answer(receive(Math.min(left, 1_000), of))
    const { delivery } = answer.ok as { delivery: Delivery }
    found.push(delivery)
    left -= delivery.attempts.length
  }
  return found
}

describe('a turn on a log that takes small records', () => {
  it('gives back 1,000 messages with one text, each after a pause of its own, and answers once', async () => {
    const one = await start()
    await one.answer(create({ retry: jittered }))
    await one.answer(send(1_000))
    const [delivery] = await took(one, 1_000)
    const items = [{ ...itemOf(delivery!), numbers: [...delivery!.numbers, 5_000, 1] }]
    const answer = await one.answer({ type: 'Retry', items, error: wide(1_000) })
    expect(answer).toEqual({ ok: { refused: [{ item: 0, number: 5_000, error: 'UnknownReceipt' }] } })
    const retries = (await records(one.log)).filter(({ events }) =>
      events.some((e) => e.type === 'RetryScheduled'),
    )
    expect(retries.length).toBeGreaterThan(20)
    expect(one.epoch()).toBe(1)
    await one.close()
  })

  it('ends expired delays for 100 subscriptions that do not want them', async () => {
    const one = await start()
    await one.answer(create({}))
    for (let n = 0; n < 99; n++)
      await one.answer({
        type: 'CreateSubscription',
        queue: 'mail',
        subscription: `s${n}`,
        settings: { tags: ['none'] },
        by,
      })
    const tags = Array.from({ length: 200 }, (_, n) => `t${n}`)
    for (let n = 0; n < 20; n++)
      expect((await one.answer(send(200, { tags, delayMs: 5_000 }))).error).toBeUndefined()
    await one.time.advance(5_000)
    const { counts } = (await one.answer({ type: 'DescribeQueue', queue: 'mail' })).ok as never as {
      counts: { delayed: number; available: number }
    }
    expect(counts).toMatchObject({ delayed: 0, available: 4_000 })
    expect(one.epoch()).toBe(1)
    await one.close()
  })

  it('erases a group of more messages than a record names, in one answer', async () => {
    const one = await start()
    await one.answer(create({ groups: 'fair', erasable: 'group' }))
    const groups = Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? 'a' : 'b'))
    for (let n = 0; n < 160; n++) expect((await one.answer(send(100, { groups }))).error).toBeUndefined()
    const reason = { ...by, reason: 'asked for' }
    const answer = await one.answer({ type: 'Erase', queue: 'mail', group: 'a', by: reason })
    expect(answer).toMatchObject({ ok: { discarded: 8_000 } })
    const events = (await records(one.log)).flatMap((r) => r.events)
    expect(events.filter((e) => e.type === 'Erased')).toHaveLength(1)
    expect(events.filter((e) => e.type === 'Discarded').length).toBeGreaterThan(1)
    expect(one.epoch()).toBe(1)
    await one.close()
  })

  it('skips 10,000 stray records', async () => {
    const one = await start()
    await one.close()
    const { lastSeq } = await (await one.log.partition(0)).state()
    for (let n = 0; n < 10_000; n++)
      await (await one.log.partition(0)).append(new TextEncoder().encode('stray'), lastSeq + n)
    const two = await startTestNode(one.log, 'two', { time: one.time })
    await two.ask(create({}) as never)
    expect(two.node.actors.get(0)!.epoch).toBe(2)
    await two.close()
  })

  it('carries a send forward that was larger than a record', async () => {
    const log = createMemoryLog({ partitions: 1, recordBytes: 1_000_000 }, { recordBytesMax })
    const one = await startTestNode(log, 'one', { checkpoints: { bytesMin: 800_000, ageMs: 1e9 } })
    const ask = async (command: Command) => (await one.node.request(0, [command])).answers[0]!
    await ask(create({}))
    const waiting = Array.from({ length: 80 }, () => encodeEnvelope(new Uint8Array(2_000)))
    expect((await ask(send(80, { messages: waiting, delayMs: 3_600_000 }))).error).toBeUndefined()
    const part = await log.partition(0)
    const messages = Array.from({ length: 10 }, () => encodeEnvelope(new Uint8Array(5_000)))
    await waitUntil(async () => {
      await ask(send(10, { messages }))
      const { delivery } = (await ask(receive(10))).ok as { delivery: Delivery }
      await ask({ type: 'Ack', items: [itemOf(delivery)] })
      expect(one.node.actors.get(0)!.epoch).toBe(1)
      return (await part.state()).firstSeq > 100
    })
    const { counts } = (await ask({ type: 'DescribeQueue', queue: 'mail' })).ok as never as {
      counts: { delayed: number }
    }
    expect(counts.delayed).toBe(80)
    await one.close()
  })

  it('says of a large send that there is no such queue, where there is none', async () => {
    const one = await start()
    const messages = Array.from({ length: 80 }, () => encodeEnvelope(new Uint8Array(2_000)))
    expect((await one.answer(send(80, { messages }))).error?.id).toBe('UnknownQueue')
    await one.answer(create({}))
    expect((await one.answer(send(80, { messages }))).error).toBeUndefined()
    await one.close()
  })

  it('says why an owner began again, and answers what made the record so that nobody repeats it', async () => {
    const time = new ManualTime()
    const log = createMemoryLog({ partitions: 1 }, { recordBytesMax: 1_000_000 })
    const reasons: string[] = []
    const partition = await log.partition(0)
    // As when the limit of a running store is lowered behind the engine's back.
    let takes = 1_000_000
    const lowered = new Proxy(partition, {
      get: (target, name) => {
        const value = Reflect.get(target, name) as unknown
        if (name === 'recordBytesMax') return takes
        return typeof value === 'function' ? (value.bind(target) as unknown) : value
      },
    })
    const one = await startTestNode({ ...log, partition: async () => lowered }, 'one', {
      time,
      onState: (_partition, state, epoch, reason) => reasons.push(`${state} ${epoch} ${reason}`),
    })
    const ask = async (command: Command) => (await one.node.request(0, [command])).answers[0]!
    await ask(create({}))
    takes = 150_000
    const messages = Array.from({ length: 200 }, () => encodeEnvelope(new Uint8Array(1_000)))
    const first = await ask(send(200, { messages, send: 1 }))
    expect(first).toMatchObject({ error: { id: 'RecordTooLarge' } })
    expect(reasons).toContainEqual(expect.stringContaining('the log takes 150000: 1 Enqueued'))
    const owners = (await records(log)).flatMap((r) => r.events).filter((e) => e.type === 'OwnerChanged')
    expect(owners.map(({ epoch, reason }) => [epoch, reason?.includes('made a record of')])).toEqual([
      ...[1, 1, 1, 1].map((epoch) => [epoch, undefined]),
      [2, true],
      ...[2, 2, 2].map((epoch) => [epoch, undefined]),
    ])
    // The owner knows what the store takes now.
    await waitUntil(() => one.node.actors.get(0)!.life === 'Active')
    expect(await ask(send(200, { messages, send: 2 }))).toMatchObject({ ok: { count: 200 } })
    expect(one.node.actors.get(0)!.epoch).toBe(2)
    await one.close()
  })
})
