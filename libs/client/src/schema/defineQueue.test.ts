import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { waitUntil } from '@kiroku/testkit'
import { defineQueue, type MessageView } from '../index.ts'
import { startTestClient } from '../startTestClient.ts'

const start = async () => {
  const { client, events } = await startTestClient()
  await client.queues.create('orders', { deadLetter: 'dead' })
  const letters = async (count: number): Promise<MessageView[]> => {
    await waitUntil(async () => (await client.queues.describe('dead')).counts.available === count)
    return client.receive('dead', { max: count })
  }
  return { client, events, letters }
}

const price = z.object({ amount: z.number(), currency: z.string().default('EUR') })
const byZod = defineQueue('orders', z.object({ article: z.string(), price }))

const known = new Set(['lamp'])
/** Asks another service whether there is such an article. */
const byAsking = defineQueue(
  'orders',
  z.object({ article: z.string().refine(async (name) => Promise.resolve(known.has(name)), 'is unknown') }),
)

describe('a defined queue', () => {
  it("accepts its schema's input and delivers its output", async () => {
    const { client } = await start()
    await client.send(byZod, { article: 'lamp', price: { amount: 3 } })
    const [message] = await client.receive(byZod)
    expectTypeOf(message!.value).toEqualTypeOf<{
      article: string
      price: { amount: number; currency: string }
    }>()
    expect(message!.value).toEqual({ article: 'lamp', price: { amount: 3, currency: 'EUR' } })
    // What travels is what was sent.
    expect([message!.contentType, message!.json()]).toEqual([
      'application/json',
      { article: 'lamp', price: { amount: 3 } },
    ])
  })

  it('refuses at send what does not fit, with the path and the cause', async () => {
    const { client } = await start()
    const wrong = { article: 'lamp', price: { amount: '3' } }
    // @ts-expect-error the compiler refuses it too
    await expect(client.send(byZod, wrong)).rejects.toMatchObject({
      id: 'BodyMismatch',
      message: expect.stringMatching(/^the body does not fit the schema of queue "orders": \/price\/amount /),
    })
    // @ts-expect-error and among many
    const batch = client.sendBatch(byZod, [{ body: { article: 'x', price: { amount: 1 } } }, { body: wrong }])
    await expect(batch).rejects.toMatchObject({ id: 'BodyMismatch' })
    expect((await client.queues.describe('orders')).counts.sent).toBe(0)
  })

  it('checks what arrives against the schema, not what was given', async () => {
    const { client } = await start()
    const dated = defineQueue('orders', z.object({ at: z.date() }))
    await expect(client.send(dated, { at: new Date(0) })).rejects.toThrow(/\/at .*date/)
    const stamped = defineQueue('orders', z.object({ at: z.iso.datetime().transform((at) => new Date(at)) }))
    await client.send(stamped, { at: '2026-01-01T00:00:00Z' })
    const [message] = await client.receive(stamped)
    expect(message!.value.at.getUTCFullYear()).toBe(2026)
  })

  it('dead-letters at once what reaches a consumer and does not fit, with the path and the cause', async () => {
    const { client, events, letters } = await start()
    const handled: string[] = []
    client.consumeEach(byZod, ({ value }) => handled.push(value.article))
    const wrong = { article: 'lamp', price: { amount: '3' } }
    const { messageIds } = await client.sendBatch<unknown>('orders', [
      { body: wrong },
      { body: { article: 'chair', price: { amount: 2 } } },
      { body: 'no JSON' },
    ])
    const dead = await letters(2)
    const reasons = Object.fromEntries(dead.map(({ id, lineage }) => [id, lineage?.error]))
    expect(reasons).toEqual({
      [messageIds[0]!]: expect.stringMatching(/\/price\/amount .*number/) as string,
      [messageIds[2]!]: 'queue "orders" requires JSON, and the body is not JSON',
    })
    expect(dead.map(({ lineage }) => lineage?.attempts)).toEqual([1, 1])
    await waitUntil(() => handled.length === 1)
    expect(handled).toEqual(['chair'])
    const told = events.flatMap((event) => (event.type === 'bodyMismatch' ? [event.messageId] : []))
    expect(told.toSorted()).toEqual([messageIds[0], messageIds[2]])
  })

  it('gives a batch the messages that fit, and a receive too', async () => {
    const { client, letters } = await start()
    const send = () =>
      client.sendBatch<unknown>('orders', [{ body: 7 }, { body: { article: 'lamp', price: { amount: 1 } } }])
    await send()
    const received = await client.receive(byZod, { max: 10 })
    expect(received.map(({ value }) => value.article)).toEqual(['lamp'])
    await received[0]!.ack()
    await send()
    const sizes: number[] = []
    client.consume(byZod, (batch) => sizes.push(batch.messages.length))
    await letters(2)
    expect(sizes).toEqual([1])
  })

  it('discards what does not fit when there is no dead-letter queue, and reports it', async () => {
    const { client, events } = await start()
    await client.queues.update('orders', { deadLetter: null, retriesMax: 1 })
    const discarded = async () => (await client.queues.describe('orders')).counts.discarded
    const told = () => events.filter(({ type }) => type === 'bodyMismatch').length
    const consumer = client.consumeEach(byZod, () => {})
    await client.send('orders', 'no JSON')
    await waitUntil(async () => (await discarded()) === 1)
    expect(told()).toBe(2)

    await consumer.stop()
    await client.send('orders', 'no JSON')
    await waitUntil(async () => {
      expect(await client.receive(byZod, { waitMs: 0 })).toEqual([])
      return (await discarded()) === 2
    })
    expect(told()).toBe(4)
  })

  it('waits for an asynchronous schema', async () => {
    const { client, letters } = await start()
    await client.send(byAsking, { article: 'lamp' })
    await expect(client.send(byAsking, { article: 'unicorn' })).rejects.toThrow(/\/article is unknown/)
    await client.send('orders', { article: 'unicorn' })
    const handled: string[] = []
    client.consumeEach(byAsking, ({ value }) => handled.push(value.article))
    const [letter] = await letters(1)
    expect(letter!.lineage?.error).toMatch(/\/article is unknown/)
    await waitUntil(() => handled.length === 1)
  })

  it('retries a message whose schema itself fails, and no other', async () => {
    const { client, events } = await start()
    // zod checks twice: synchronously, then asynchronously
    let failures = 2
    const shaky = defineQueue(
      'orders',
      z.object({ n: z.number() }).transform(({ n }) => {
        if (n === 1 && failures-- > 0) throw new Error('the registry is away')
        return n
      }),
    )
    await client.sendBatch('orders', [{ body: { n: 1 } }, { body: { n: 2 } }])
    const handled: number[] = []
    client.consumeEach(shaky, ({ value }) => handled.push(value))
    await waitUntil(() => handled.length === 2)
    expect(handled).toEqual([2, 1])
    expect(events).toContainEqual(expect.objectContaining({ type: 'handlerFailed', messages: 1, attempt: 1 }))
  })

  it('takes requests that fit its schema', async () => {
    const { client } = await start()
    client.consumeEach(byZod, async (message) => client.reply(message, message.value.price.currency))
    const reply = await client.requester().request(byZod, { article: 'lamp', price: { amount: 1 } })
    expect(reply.text()).toBe('EUR')
  })

  it('must have a valid queue name', () => {
    expect(() => defineQueue('no such name', z.string())).toThrow(/name/)
  })
})
