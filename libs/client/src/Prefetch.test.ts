import type { Command } from '@kiroku/protocol'
import { ManualTime, waitUntil } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { BackPressure, type Client, type ConsumeOptions } from './index.ts'
import { limits } from './limits.ts'
import { startTestClient, watchedClient } from './startTestClient.ts'

interface Asked {
  readonly max: number
  readonly batchMessages: number | undefined
}

/** A queue of single messages, with a client whose receives are noted. */
const start = async (time?: ManualTime) => {
  const { engine, client } = await startTestClient(time)
  await client.queues.create('mail', { batchMessages: 1, batchWaitMs: 0 })
  const asked: Asked[] = []
  const note = (commands: readonly Command[]): void => {
    for (const command of commands)
      if (command.type === 'Receive') asked.push({ max: command.max, batchMessages: command.batchMessages })
  }
  const watched = watchedClient({ engine }, note, time)
  const counts = async () => (await client.queues.describe('mail')).counts
  return { client, watched, asked, counts }
}

const sendMany = (client: Client, count: number, from = 0) =>
  client.sendBatch(
    'mail',
    Array.from({ length: count }, (_, i) => ({ body: String(from + i) })),
  )

const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, i) => String(from + i))

describe('receives ahead of handlers', () => {
  it('are one for many batches while handlers are quick, and lose, repeat and reorder nothing', async () => {
    // Time stands still, so handlers are quick also where the machine is not.
    const { client, watched, asked, counts } = await start(new ManualTime())
    await sendMany(client, 5_000)
    const seen: string[] = []
    const sizes = new Set<number>()
    watched.consume('mail', ({ messages }) => {
      sizes.add(messages.length)
      for (const message of messages) seen.push(message.text())
    })
    await waitUntil(async () => (await counts()).committed === 5_000)
    expect(seen).toEqual(numbers(0, 5_000))
    expect([...sizes]).toEqual([1])
    expect(asked.length).toBeLessThan(200)
    // What is ahead in three receives, and one batch with the handler.
    expect(asked).toContainEqual({ max: Math.ceil((limits.aheadMessagesMax + 1) / 3), batchMessages: 1 })
  })

  it('are shared by the consumers of a client that are busy', async () => {
    const time = new ManualTime()
    const { client, watched, asked } = await start(time)
    const others = Array.from({ length: limits.aheadMessagesMax / 5 }, (_, i) => `other-${i}`)
    await Promise.all(
      others.map((queue) => client.queues.create(queue, { batchMessages: 1, batchWaitMs: 0 })),
    )
    let handled = 0
    const handle = (): unknown => handled++
    for (const queue of ['mail', ...others]) watched.consume(queue, handle)
    const sendTwice = async (queues: readonly string[]) => {
      const before = handled
      for (let i = 0; i < 2; i++) await Promise.all(queues.map((queue) => client.send(queue, 'x')))
      await waitUntil(() => handled === before + 2 * queues.length)
    }
    await sendTwice(['mail', ...others])
    asked.length = 0
    const before = handled
    await sendMany(client, 1_000)
    await waitUntil(() => handled === before + 1_000)
    const most = Math.max(...asked.map(({ max }) => max))
    expect(most).toBeLessThanOrEqual(1 + limits.aheadMessagesMax / others.length)
    // The others had nothing for a while.
    await time.advance(2 * limits.aheadSharedMs)
    await sendMany(client, 2_000)
    await waitUntil(() => handled === before + 3_000)
    expect(Math.max(...asked.map(({ max }) => max))).toBeGreaterThan(10 * most)
  })

  it('begin with one batch for each handler', async () => {
    const { client, watched, asked } = await start()
    await sendMany(client, 10)
    let running = 0
    const done = Promise.withResolvers<void>()
    watched.consume('mail', () => (running++, done.promise), { concurrency: 3 })
    await waitUntil(() => running === 3)
    await client.queues.describe('mail')
    expect(asked).toEqual(Array.from({ length: 3 }, () => ({ max: 1, batchMessages: undefined })))
    done.resolve()
  })

  it('leave no handler without a batch while others take long and messages wait', async () => {
    const { client, watched, counts } = await start(new ManualTime())
    const handlers = 20
    const batch = 100
    let isStuck = false
    let running = 0
    const stuck = Promise.withResolvers<void>()
    const handler = (): unknown => (isStuck ? (running++, stuck.promise) : undefined)
    watched.consume('mail', handler, { concurrency: handlers, batchMessages: batch })
    await sendMany(client, 5_000)
    await waitUntil(async () => (await counts()).committed === 5_000)
    isStuck = true
    // They come a few at a time, so that no receive brings all that it asks for.
    for (let sent = 0; sent < 2 * handlers; sent++) await sendMany(client, batch)
    await waitUntil(() => running === handlers)
    stuck.resolve()
    await waitUntil(async () => (await counts()).committed === 5_000 + 2 * handlers * batch)
  })

  it('bring nothing that a slow handler keeps from a free consumer', async () => {
    const time = new ManualTime()
    const { client, watched, asked, counts } = await start(time)
    await sendMany(client, 20)
    const slow: string[] = []
    watched.consume('mail', async ({ messages }) => {
      slow.push(...messages.map((message) => message.text()))
      await time.sleep(50)
    })
    await time.advance(200)
    expect(slow.length).toBe(5)
    expect(new Set(asked.map(({ max }) => max))).toEqual(new Set([1]))
    const fast: string[] = []
    client.consume('mail', ({ messages }) => void fast.push(...messages.map((message) => message.text())))
    await time.advance(50)
    await waitUntil(async () => (await counts()).committed === 20)
    expect([...slow, ...fast].sort()).toEqual(numbers(0, 20).sort())
    expect(slow.length).toBeLessThanOrEqual(6)
  })

  it('are given back when handlers become slow, so that another consumer gets the messages with their first attempt', async () => {
    const time = new ManualTime()
    const { client, watched, counts } = await start(time)
    let isStuck = false
    const stuck = Promise.withResolvers<void>()
    let handled = 0
    watched.consume('mail', () => (handled++, isStuck ? stuck.promise : undefined))
    await sendMany(client, 500)
    await time.advance(1)
    await waitUntil(async () => (await counts()).committed === 500)
    isStuck = true
    await sendMany(client, 100, 500)
    await waitUntil(async () => (await counts()).inflight === 100)
    const attempts: number[] = []
    client.consume('mail', ({ messages }) => void attempts.push(messages[0]!.attempt))
    await time.advance(300)
    await waitUntil(async () => (await counts()).committed === 599)
    expect(attempts).toEqual(Array.from({ length: 99 }, () => 1))
    expect(handled).toBe(501)
    // And it has no receive that could take one away while its handler is busy.
    await sendMany(client, 10, 600)
    await time.settle()
    await waitUntil(async () => (await counts()).committed === 609)
    stuck.resolve()
    await waitUntil(async () => (await counts()).committed === 610)
  })

  it('are given back at once when the consumer stops', async () => {
    const time = new ManualTime()
    const { client, watched, counts } = await start(time)
    let isStuck = false
    const stuck = Promise.withResolvers<void>()
    const consumer = watched.consume('mail', () => (isStuck ? stuck.promise : undefined))
    await sendMany(client, 500)
    await waitUntil(async () => (await counts()).committed === 500)
    isStuck = true
    await sendMany(client, 100)
    await waitUntil(async () => (await counts()).inflight === 100)
    const stopped = consumer.stop()
    await waitUntil(async () => (await counts()).available === 99)
    stuck.resolve()
    await stopped
    expect(await counts()).toMatchObject({ available: 99, inflight: 0, committed: 501 })
  })

  it('bring nothing past a hold that a handler asks for', async () => {
    const { client, watched, counts } = await start(new ManualTime())
    let isBusy = false
    let refused = 0
    watched.consume('mail', () => {
      if (!isBusy) return
      refused++
      throw new BackPressure({ delayMs: 3_600_000, holdSubscription: true })
    })
    await sendMany(client, 500)
    await waitUntil(async () => (await counts()).committed === 500)
    isBusy = true
    await sendMany(client, 100)
    await waitUntil(async () => (await counts()).inflight === 0 && refused > 0)
    await client.queues.describe('mail')
    expect(refused).toBe(1)
    expect(await counts()).toMatchObject({ committed: 500, inflight: 0 })
  })

  it('renew no lease that would not be renewed without them', async () => {
    const time = new ManualTime()
    const { engine, client } = await startTestClient(time)
    await client.queues.create('mail', { batchMessages: 1, leaseMs: 1_000 })
    let renewals = 0
    const note = (commands: readonly Command[]): void => {
      renewals += commands.filter(({ type }) => type === 'Extend').length
    }
    const watched = watchedClient({ engine }, note, time)
    await sendMany(client, 2_000)
    watched.consume('mail', () => time.sleep(1))
    await time.advance(2_500)
    expect((await client.queues.describe('mail')).counts.committed).toBe(2_000)
    expect(renewals).toBe(0)
  })

  it.each<[string, Parameters<Client['queues']['create']>[1], ConsumeOptions]>([
    ['keep the order of a group', { groups: 'ordered' }, {}],
    ['count as batches in flight', { concurrencyMax: 2 }, {}],
    ['wait for fuller batches', {}, { batchWaitMs: 1 }],
  ])('do not happen where deliveries %s', async (_, settings, options) => {
    const { client, watched, asked } = await start()
    await client.queues.create('other', { batchMessages: 1, ...settings })
    const group = settings?.groups === undefined ? {} : { group: 'g' }
    await client.sendBatch(
      'other',
      Array.from({ length: 100 }, (_, i) => ({ body: String(i), ...group })),
    )
    watched.consume('other', () => {}, options)
    await waitUntil(async () => (await client.queues.describe('other')).counts.committed === 100)
    expect(new Set(asked.map(({ max }) => max))).toEqual(new Set([1]))
  })

  it('pause while many handled messages are not settled yet, however quick the handlers are', async () => {
    const { engine, client } = await startTestClient()
    await client.queues.create('mail')
    const total = 3 * limits.unsettledMessagesMax
    await sendMany(client, total)
    const stored = Promise.withResolvers<void>()
    const watched = watchedClient({ engine }, (commands) =>
      commands.some(({ type }) => type === 'Ack') ? stored.promise : undefined,
    )
    let handled = 0
    watched.consumeEach('mail', () => void handled++, { concurrency: 10 })
    await waitUntil(() => handled >= limits.unsettledMessagesMax)
    const counts = async () => (await client.queues.describe('mail')).counts
    for (let i = 0; i < 50; i++) await counts()
    expect((await counts()).inflight).toBeLessThan(1.25 * limits.unsettledMessagesMax)
    stored.resolve()
    await waitUntil(async () => (await counts()).committed === total)
    expect(handled).toBe(total)
  })
})
