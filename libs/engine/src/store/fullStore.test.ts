import { createMemoryLog, decodeRecord, type MemoryLog } from '@kiroku/log'
import type { Answers, Command, QueueConfig } from '@kiroku/protocol'
import { ManualTime, waitUntil } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { body, by, receive, startTestNode } from '../testing/startTestNode.ts'

type TestNode = Awaited<ReturnType<typeof startTestNode>>
type Send = Extract<Command, { type: 'Enqueue' }>

const kilobytes = (n: number) => body('x'.repeat(n * 1_000))

const send = (n: number, messages: Uint8Array[]): Send => ({
  type: 'Enqueue',
  queue: 'mail',
  producer: 'p',
  send: n,
  messages,
})

const withQueue = async (log: MemoryLog, time = new ManualTime(), config: Partial<QueueConfig> = {}) => {
  const one = await startTestNode(log, 'one', {
    checkpoints: { bytesMin: 32 * 1024 * 1024, ageMs: 1e9 },
    time,
  })
  await one.ask({ type: 'CreateQueue', queue: 'mail', config, by })
  return one
}

/** Takes what is there out of the queue. */
const consume = async (one: TestNode): Promise<number> => {
  const { delivery } = await one.ask(receive('mail', 100))
  if (delivery === undefined) return 0
  const { queue, numbers } = delivery
  await one.ask({ type: 'Ack', items: [{ queue, sub: 0, delivery: delivery.delivery, numbers }] })
  return delivery.messages.length
}

/** Sends until the store takes no more; the answer to the send that was refused, and the number of messages before. */
const fill = async (one: TestNode) => {
  for (let n = 1; ; n++) {
    const [answer] = (await one.node.request(0, [send(n, Array(10).fill(kilobytes(10)))])).answers
    if (answer!.error !== undefined) return { error: answer!.error, sent: (n - 1) * 10 }
  }
}

const eventsOf = async (log: MemoryLog) => {
  const events = []
  for await (const { data } of (await log.partition(0)).read(1)) {
    const record = decodeRecord(data)
    if (record.kind === 'frame') events.push(...record.events)
  }
  return events
}

describe('a store that is smaller than the record may become', () => {
  it('does not stay full where everything is consumed: the log goes to its last two checkpoints', async () => {
    const log = createMemoryLog({ partitions: 1 }, { storeBytesMax: 2_000_000 })
    const one = await withQueue(log)
    let refused = 0
    // Ten times what the store holds.
    for (let n = 1; n <= 200; n++) {
      const [answer] = (await one.node.request(0, [send(n, Array(10).fill(kilobytes(10)))])).answers
      if (answer!.error !== undefined) refused++
      while ((await consume(one)) > 0);
    }
    expect(refused).toBe(0)
    const { checkpoints } = await log.partition(0)
    expect((await checkpoints.list()).length).toBeLessThanOrEqual(3)
    expect(one.node.actors.get(0)!.metrics.earlyTrims).toBeGreaterThan(0)
    await one.close()
  })

  it('says on record why the log was trimmed before its limits', async () => {
    const log = createMemoryLog({ partitions: 1 }, { storeBytesMax: 2_000_000 })
    const one = await withQueue(log)
    const told: string[] = []
    for (let n = 1; !told.includes('Trimmed'); n++) {
      await one.ask(send(n, Array(10).fill(kilobytes(10))))
      while ((await consume(one)) > 0);
      told.push(...(await eventsOf(log)).map(({ type }) => type))
    }
    expect((await eventsOf(log)).find(({ type }) => type === 'StoreShort')).toMatchObject({
      bytesMax: 2_000_000,
      freeBytes: expect.toSatisfy((free: number) => free < 400_000) as number,
    })
    await one.close()
  })

  it('refuses sends before it is full, at once, and takes everything else', async () => {
    const log = createMemoryLog({ partitions: 1 }, { storeBytesMax: 2_000_000 })
    const one = await withQueue(log)
    const { error, sent } = await fill(one)
    expect(error).toMatchObject({ id: 'StorageFull', retryAfterMs: 1_000 })
    expect(error.message).toMatch(/the store has 0\.\d MB left, less than its reserve of 0\.2 MB/)
    expect((await log.room())!.freeBytes).toBeGreaterThan(50_000)
    await one.ask({ type: 'CreateQueue', queue: 'other', config: {}, by })
    let taken = 0
    for (let got = 1; got > 0; taken += got) got = await consume(one)
    expect(taken).toBe(sent)
    await one.close()
  })

  it('takes no more sends at once than leave its reserve', async () => {
    const log = createMemoryLog({ partitions: 1 }, { storeBytesMax: 2_000_000 })
    const one = await withQueue(log)
    const burst = Array.from({ length: 50 }, (_, n) => send(n + 1, Array(10).fill(kilobytes(10))))
    const { answers } = await one.node.request(0, burst)
    const refused = answers.filter(({ error }) => error !== undefined)
    expect(refused.length).toBeGreaterThan(30)
    for (const { error } of refused) expect(error).toMatchObject({ id: 'StorageFull', retryAfterMs: 1_000 })
    expect((await log.room())!.freeBytes).toBeGreaterThan(90_000)
    let taken = 0
    for (let got = 1; got > 0; taken += got) got = await consume(one)
    expect(taken).toBe((answers.length - refused.length) * 10)
    await one.close()
  })

  it('keeps room for settlements where deliveries come back again and again', async () => {
    const time = new ManualTime()
    const log = createMemoryLog({ partitions: 1 }, { storeBytesMax: 2_000_000 })
    const one = await withQueue(log, time, { retriesMax: 1_000 })
    await fill(one)
    const { delivery } = await one.ask(receive('mail', 1))
    const { messages: _, ...kept } = delivery!
    // Most of the store is held by what is never done with.
    let error
    for (let n = 0; n < 5_000 && error === undefined; n++) {
      const [answer] = (await one.node.request(0, [receive('mail', 10)])).answers
      error = answer!.error
      const given = (answer!.ok as Answers['Receive'] | undefined)?.delivery
      if (given !== undefined) await one.ask({ type: 'Retry', items: [given], delayMs: 0, error: '' })
      await time.advance(10)
    }
    expect(error).toMatchObject({ id: 'StorageFull', retryAfterMs: 1_000 })
    await one.ask({ type: 'Ack', items: [kept] })
    await one.close()
    // A take-over needs room, too; and what is purged makes some.
    const two = await startTestNode(log, 'two', { time })
    await two.ask({ type: 'PurgeQueue', queue: 'mail', by })
    await time.advance(120_000)
    await two.ask(send(10_000, [kilobytes(10)]))
    expect(await consume(two)).toBe(1)
    await two.close()
  })

  it('takes sends again once what it held is consumed', async () => {
    const time = new ManualTime()
    const log = createMemoryLog({ partitions: 1 }, { storeBytesMax: 2_000_000 })
    const one = await withQueue(log, time)
    await fill(one)
    while ((await consume(one)) > 0);
    await time.advance(120_000)
    expect((await log.room())!.freeBytes).toBeGreaterThan(1_500_000)
    await one.ask(send(10_000, [kilobytes(10)]))
    await one.close()
  })

  it('takes sends again once it is larger', async () => {
    const time = new ManualTime()
    const log = createMemoryLog({ partitions: 1 }, { storeBytesMax: 2_000_000 })
    const one = await withQueue(log, time)
    await fill(one)
    log.faults.resizeStore(20_000_000)
    await time.advance(4_000)
    await one.ask(send(10_000, [kilobytes(10)]))
    await one.close()
  })

  it('is taken over while it is full', async () => {
    const log = createMemoryLog({ partitions: 1 }, { storeBytesMax: 2_000_000 })
    const one = await withQueue(log)
    const { sent } = await fill(one)
    await one.close()
    const two = await startTestNode(log, 'two')
    let taken = 0
    for (let got = 1; got > 0; taken += got) got = await consume(two)
    expect(taken).toBe(sent)
    await two.close()
  })

  it('makes no checkpoint after another where nothing can go, because nobody consumes', async () => {
    const time = new ManualTime()
    const log = createMemoryLog({ partitions: 1 }, { storeBytesMax: 2_000_000 })
    const one = await withQueue(log, time)
    await fill(one)
    const { metrics } = one.node.actors.get(0)!
    await time.advance(600_000)
    const before = metrics.checkpoints
    await time.advance(600_000)
    expect(metrics.checkpoints - before).toBeLessThanOrEqual(10)
    expect((await log.room())!.freeBytes).toBeGreaterThan(50_000)
    await one.close()
  })

  it('is not filled up by its owner, which stores old bodies again to let the log go', async () => {
    const time = new ManualTime()
    const log = createMemoryLog({ partitions: 1 }, { recordBytesMax: 600_000 })
    const one = await withQueue(log, time)
    await one.ask({ type: 'CreateQueue', queue: 'old', config: {}, by })
    for (let n = 1; n <= 3; n++) await one.ask({ ...send(n, [kilobytes(100)]), queue: 'old' })
    for (let n = 1; n <= 30; n++) {
      await one.ask(send(n, [kilobytes(50)]))
      await consume(one)
    }
    log.faults.resizeStore(log.faults.usedBytes + 250_000)
    await time.advance(600_000)
    expect((await log.room())!.freeBytes).toBeGreaterThan(50_000)
    expect(one.node.actors.get(0)!.epoch).toBe(1)
    const { delivery } = await one.ask(receive('old'))
    expect(delivery!.messages).toHaveLength(3)
    await one.close()
  })

  it('is not filled up by dead letters, which wait where they are', async () => {
    const time = new ManualTime()
    const log = createMemoryLog({ partitions: 1 }, { storeBytesMax: 2_000_000 })
    const one = await withQueue(log, time)
    const { queue: dead } = await one.ask({ type: 'CreateQueue', queue: 'dead', config: {}, by })
    const deadLetter = { partition: 0, queue: dead, name: 'dead' }
    await one.ask({ type: 'ConfigureQueue', queue: 'mail', config: { deadLetter }, by })
    const { sent } = await fill(one)
    let given = 0
    for (let n = 1; n <= 40; n++) {
      const { delivery } = await one.ask(receive('mail'))
      if (delivery !== undefined) {
        const { queue, sub, numbers, messages } = delivery
        const items = [{ queue, sub, delivery: delivery.delivery, numbers }]
        await one.ask({ type: 'DeadLetter', items, error: 'no' })
        given += messages.length
      }
      await time.advance(1_000)
      expect((await log.room())!.freeBytes).toBeGreaterThan(25_000)
    }
    expect(given).toBe(sent)
    expect(one.node.actors.get(0)!.epoch).toBe(1)
    log.faults.resizeStore(20_000_000)
    await time.advance(60_000)
    const { delivery } = await one.ask({ ...receive('dead', 1_000), bytesMax: 1e9 })
    expect(delivery!.messages).toHaveLength(sent)
    await one.close()
  })

  it('confirms a letter that it holds already, so that the first can go', async () => {
    const log = createMemoryLog({ partitions: 1 }, { storeBytesMax: 2_000_000, recordBytesMax: 600_000 })
    const one = await withQueue(log)
    const { queue: dead } = await one.ask({ type: 'CreateQueue', queue: 'dead', config: {}, by })
    const letter = (forward: number): Extract<Command, { type: 'Forward' }> => ({
      type: 'Forward',
      from: { partition: 1, queue: 77 },
      target: dead,
      forward,
      messages: [kilobytes(100)],
      enqueuedAt: [0],
    })
    await one.ask(letter(1))
    await fill(one)
    log.faults.resizeStore(log.faults.usedBytes + 40_000)
    await one.close()
    const two = await startTestNode(log, 'two')
    await waitUntil(() => two.node.actors.get(0)!.describe().storage?.state === 'full')
    expect(await two.ask(letter(1))).toMatchObject({ outcome: 'stored' })
    await expect(two.ask(letter(2))).rejects.toThrow('StorageFull')
    await two.close()
  })

  it('is looked at also while its owner rebuilds its state', async () => {
    const time = new ManualTime()
    const log = createMemoryLog(
      { partitions: 1 },
      {
        storeBytesMax: 2_000_000,
        schedule: (ms, run) => (ms === 0 ? queueMicrotask(run) : void time.after(ms, run)),
      },
    )
    const one = await withQueue(log, time)
    await fill(one)
    while ((await consume(one)) > 0);
    await fill(one)
    log.faults.slow(1_000)
    log.faults.onAppend(0, 'displaced')
    const created = one.node.request(0, [{ type: 'CreateQueue', queue: 'other', config: {}, by }])
    await time.advance(60_000)
    expect((await created).answers[0]!.error?.id).toBe('Unavailable')
    expect(one.node.actors.get(0)!).toMatchObject({ life: 'Active', epoch: 2 })
    log.faults.slow(0)
    await one.close()
  })

  it('loses nothing that a subscription needs which began in the past', async () => {
    const time = new ManualTime()
    const log = createMemoryLog({ partitions: 1 })
    const one = await startTestNode(log, 'one', { checkpoints: { bytesMin: 100_000, ageMs: 1e9 }, time })
    await one.ask({ type: 'CreateQueue', queue: 'mail', config: {}, by })
    const part = await log.partition(0)
    let n = 0
    while ((await part.checkpoints.list()).length < 3) {
      await one.ask(send(++n, Array(10).fill(kilobytes(10))))
      while ((await consume(one)) > 0);
      await time.settle()
    }
    const subscription = 's'
    await one.ask({
      type: 'CreateSubscription',
      queue: 'mail',
      subscription,
      settings: {},
      start: 'earliest',
      by,
    })
    await time.settle()
    expect(one.node.actors.get(0)!.state.filling.size).toBe(0)
    log.faults.resizeStore((await part.state()).bytes * 1.25)
    await time.advance(10_000)
    expect(one.node.actors.get(0)!.describe().storage?.state).toBe('short')
    await one.close()
    const two = await startTestNode(log, 'two')
    const { delivery } = await two.ask({ ...receive('mail', 1_000), bytesMax: 1e9, subscription })
    expect(delivery!.messages).toHaveLength(n * 10)
    await two.close()
  })
})
