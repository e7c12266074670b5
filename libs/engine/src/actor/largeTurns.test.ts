import { createMemoryLog, decodeRecord, type MemoryLog } from '@kiroku/log'
import {
  type Answer,
  type Command,
  type CommandOf,
  type Delivery,
  encodeEnvelope,
  eventBytes,
  type LogEvent,
} from '@kiroku/protocol'
import { ManualTime, waitUntil } from '@kiroku/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { by, startTestNode } from '../testing/startTestNode.ts'

const recordBytesMax = 150_000
const wide = (length: number, n = 0): string => String.fromCharCode(0x4e00 + n).repeat(length)

/** A node on a log that takes only small records, in a time that the test moves. */
const start = async () => {
  const time = new ManualTime()
  const log = createMemoryLog({ partitions: 1 }, { recordBytesMax, now: () => time.now() + 1_000_000 })
  const one = await startTestNode(log, 'one', { time })
  const ask = async (command: Command): Promise<Answer> => (await one.node.request(0, [command])).answers[0]!
  return { ...one, log, time, answer: ask, epoch: () => one.node.actors.get(0)!.epoch }
}
type One = Awaited<ReturnType<typeof start>>

/** Every record, with the bytes of its facts. */
const records = async (
  log: MemoryLog,
): Promise<{ bytes: number; eventsBytes: number; events: LogEvent[] }[]> => {
  const found = []
  for await (const { data } of (await log.partition(0)).read(1)) {
    const record = decodeRecord(data)
    if (record.kind !== 'frame') continue
    const eventsBytes = new DataView(data.buffer, data.byteOffset).getUint32(28, true)
    found.push({ bytes: data.length, eventsBytes, events: [...record.events] })
  }
  return found
}

const send = (count: number, of: Partial<CommandOf<'Enqueue'>> = {}): CommandOf<'Enqueue'> => ({
  type: 'Enqueue',
  queue: 'mail',
  producer: `p${Math.random()}`,
  send: 1,
  messages: Array.from({ length: count }, () => encodeEnvelope(new Uint8Array(10))),
  ...of,
})
const receive = (max: number, of: Partial<CommandOf<'Receive'>> = {}): CommandOf<'Receive'> => ({
  type: 'Receive',
  queue: 'mail',
  poll: `poll-${Math.random()}`,
  max,
  bytesMax: 1e9,
  waitMs: 0,
  mode: 'push',
  consumer: 'c',
  ...of,
})
const create = (config: CommandOf<'CreateQueue'>['config'], queue = 'mail'): Command => ({
  type: 'CreateQueue',
  queue,
  config,
  by,
})
/** Pauses that differ from message to message. */
const jittered = { kind: 'exponential', baseMs: 60_000, factor: 1, maxMs: 60_000, jitter: 0.5 } as const

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
const itemOf = ({ queue, sub, delivery, numbers }: Delivery) => ({ queue, sub, delivery, numbers })

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

const text = fc.oneof(
  fc.constant(''),
  fc.integer({ min: 1, max: 128 }).map((length) => wide(length, length)),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
)
const longText = fc.integer({ min: 0, max: 1_000 }).map((length) => wide(length, length))
const op = fc.oneof(
  fc.record({
    op: fc.constant('send' as const),
    count: fc.integer({ min: 1, max: 1_000 }),
    bytes: fc.oneof(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 30_000 })),
    tags: fc.array(text, { maxLength: 20 }),
    groups: fc.array(text, { maxLength: 20 }),
    delays: fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 5 }),
    producer: fc.integer({ min: 1, max: 300 }),
  }),
  fc.record({
    op: fc.constant('receive' as const),
    max: fc.integer({ min: 1, max: 1_000 }),
    consumer: longText,
    attempt: fc.option(text, { nil: undefined }),
    sub: fc.integer({ min: 0, max: 8 }),
  }),
  fc.record({
    op: fc.constant('settle' as const),
    how: fc.constantFrom(
      'Ack' as const,
      'Retry' as const,
      'Release' as const,
      'DeadLetter' as const,
      'Extend' as const,
    ),
    apart: fc.boolean(),
    error: longText,
  }),
  fc.record({ op: fc.constant('configure' as const), schema: fc.integer({ min: 0, max: 10_000 }) }),
  fc.record({ op: fc.constant('purge' as const), reason: fc.integer({ min: 0, max: 60_000 }) }),
  fc.record({ op: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 4_000 }) }),
)

const frequent: ReadonlySet<string> = new Set(['Enqueued', 'Delivered', 'Acked'])

it('any mix of lawful commands makes records that the log takes, and no fact takes more than it is counted', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(op, { maxLength: 30 }), { minLength: 1, maxLength: 8 }),
      async (rounds) => {
        const one = await start()
        const dead = (await one.answer(create({}, 'dead'))).ok as { queue: number }
        const deadLetter = { partition: 0, queue: dead.queue, name: 'dead' }
        const made = await one.answer(
          create({ groups: 'fair', retry: jittered, leaseMs: 1_500, retriesMax: 2, deadLetter }),
        )
        expect(made.error).toBeUndefined()
        for (let n = 0; n < 8; n++)
          await one.answer({
            type: 'CreateSubscription',
            queue: 'mail',
            subscription: `s${n}`,
            settings: n % 2 === 0 ? {} : { tags: ['', wide(3, 3)] },
            by,
          })
        const held: Delivery[] = []
        for (const ops of rounds) {
          const asked: Promise<Answer>[] = []
          let waitMs = 0
          for (const o of ops) {
            const each = (texts: readonly string[], count: number): string[] =>
              Array.from({ length: count }, (_, i) => texts[i % texts.length]!)
            if (o.op === 'send') {
              const count = Math.min(o.count, Math.max(1, Math.floor(200_000 / (o.bytes + 1))))
              asked.push(
                one.answer(
                  send(count, {
                    producer: wide(o.producer),
                    messages: Array.from({ length: count }, () => encodeEnvelope(new Uint8Array(o.bytes))),
                    ...(o.tags.length === 0
                      ? {}
                      : {
                          tags: each(
                            o.tags.map((t) => t.replaceAll('|', '')),
                            count,
                          ),
                        }),
                    ...(o.groups.length === 0 ? {} : { groups: each(o.groups, count) }),
                    ...(o.delays.length === 0
                      ? {}
                      : {
                          delaysMs: Array.from({ length: count }, (_, i) => o.delays[i % o.delays.length]!),
                        }),
                  }),
                ),
              )
            } else if (o.op === 'receive')
              asked.push(
                one.answer(
                  receive(o.max, {
                    consumer: o.consumer,
                    ...(o.attempt === undefined ? {} : { attempt: o.attempt }),
                    ...(o.sub === 8 ? {} : { subscription: `s${o.sub}` }),
                  }),
                ),
              )
            else if (o.op === 'settle') {
              const items = held
                .splice(0, 3)
                .map(itemOf)
                .flatMap((item) =>
                  o.apart
                    ? Array.from({ length: item.numbers.length / 2 }, (_, i) => ({
                        ...item,
                        numbers: item.numbers.slice(2 * i, 2 * i + 2),
                      }))
                    : [item],
                )
              if (items.length > 0)
                asked.push(
                  one.answer(
                    o.how === 'Extend'
                      ? { type: 'Extend', items, leaseMs: 2_000 }
                      : { type: o.how, items, error: o.error },
                  ),
                )
            } else if (o.op === 'configure')
              asked.push(
                one.answer({
                  type: 'ConfigureQueue',
                  queue: 'mail',
                  config: { bodySchema: { title: wide(o.schema) } },
                  by,
                }),
              )
            else if (o.op === 'purge')
              asked.push(
                one.answer({ type: 'PurgeQueue', queue: 'dead', by: { ...by, reason: wide(o.reason) } }),
              )
            else waitMs += o.ms
          }
          await one.time.advance(waitMs)
          const answers = await Promise.all(asked)
          for (const { ok, error } of answers) {
            if (error !== undefined)
              expect(error.id).toMatch(/^(BodyTooLarge|InvalidArgument|Busy|UnknownSubscription)$/)
            const { delivery } = (ok ?? {}) as { delivery?: Delivery }
            if (delivery !== undefined) held.push(delivery)
          }
        }
        expect(one.epoch()).toBe(1)
        for (const { bytes, eventsBytes, events } of await records(one.log)) {
          expect(bytes).toBeLessThanOrEqual(recordBytesMax)
          // The shapes of the most frequent facts are paid for by the frame.
          const shapes = events.filter(({ type }) => frequent.has(type)).map((e) => Object.keys(e).join())
          let counted = 5
          for (const shape of new Set(shapes)) counted += shape.length + 16
          for (const e of events) counted += eventBytes(e)
          expect(counted).toBeGreaterThanOrEqual(eventsBytes)
        }
        await one.close()
      },
    ),
    { numRuns: 25, seed: 11 },
  )
})
