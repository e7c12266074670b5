import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { waitUntil } from '@kiroku/testkit'
import { defineQueue, type QueueDefinition } from '../index.ts'
import { startTestClient } from '../startTestClient.ts'

const start = async () => {
  const { client } = await startTestClient()
  await client.queues.create('orders', { deadLetter: 'dead' })
  return client
}

/** What is sent: a count is text, and may be left out. */
interface Sent {
  article: string
  price: { amount: number }
  count?: string | undefined
}

/** What is received. */
interface Received {
  article: string
  price: { amount: number }
  count: number
}

const zodQueue = defineQueue(
  'orders',
  z.object({
    article: z.string(),
    price: z.object({ amount: z.number() }),
    count: z.string().default('1').transform(Number),
  }),
)
const valibotQueue = defineQueue(
  'orders',
  v.object({
    article: v.string(),
    price: v.object({ amount: v.number() }),
    count: v.pipe(v.optional(v.string(), '1'), v.transform(Number)),
  }),
)
const arktypeQueue = defineQueue(
  'orders',
  type({ article: 'string', price: { amount: 'number' }, count: 'string.integer.parse = "1"' }),
)

it('the types of a schema are those of its queue, on both sides', () => {
  expectTypeOf(zodQueue).toExtend<QueueDefinition<Sent, Received>>()
  expectTypeOf(valibotQueue).toExtend<QueueDefinition<Sent, Received>>()
  expectTypeOf(arktypeQueue).toExtend<QueueDefinition<Sent, Received>>()
})

const queues: Readonly<Record<string, QueueDefinition<Sent, Received>>> = {
  zod: zodQueue,
  valibot: valibotQueue,
  arktype: arktypeQueue,
}

describe.each(Object.entries(queues))('a queue defined with %s', (_, orders) => {
  it("delivers the schema's output for what was sent", async () => {
    const client = await start()
    const counts: number[] = []
    client.consumeEach(orders, ({ value }) => counts.push(value.count))
    await client.send(orders, { article: 'lamp', price: { amount: 3 } })
    await client.send(orders, { article: 'lamp', price: { amount: 3 }, count: '7' })
    await waitUntil(() => counts.length === 2)
    expect(counts.toSorted()).toEqual([1, 7])
  })

  it('refuses what does not fit, and dead-letters it when another sends it, with path and cause', async () => {
    const client = await start()
    const wrong = { article: 'lamp', price: { amount: 'three' } }
    // @ts-expect-error the compiler refuses it too
    const sent = client.send(orders, wrong)
    await expect(sent).rejects.toMatchObject({
      id: 'BodyMismatch',
      message: expect.stringMatching(/: \/price\/amount .*number/i) as string,
    })
    client.consumeEach(orders, () => {})
    await client.send('orders', wrong)
    const [letter] = await client.receive('dead', { waitMs: 30_000 })
    expect(letter!.lineage).toMatchObject({
      attempts: 1,
      error: expect.stringMatching(/\/price\/amount .*number/i) as string,
    })
  })
})
