import type { Command } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import { startMemoryEngine } from '@kiroku/testkit/engine'
import { afterEach, describe, expect, it } from 'vitest'
import { createClient, inProcess, type Client } from './index.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const start = async () => {
  const engine = await startMemoryEngine()
  closers.push(() => engine.close())
  const requests: (readonly Command[])[] = []
  const node = engine.node()
  const client = createClient(
    inProcess({
      directory: () => node.directory(),
      request: (partition, commands) => {
        requests.push(commands)
        return node.request(partition, commands)
      },
      onOwnerChanged: (listener) => node.onOwnerChanged(listener),
    }),
  )
  closers.push(() => client.close())
  await client.queues.create('orders')
  const enqueues = () => requests.flat().filter((command) => command.type === 'Enqueue')
  return { client, enqueues }
}

const texts = async (client: Client, subscription?: string): Promise<string[]> => {
  const options = subscription === undefined ? {} : { subscription }
  return (await client.receive('orders', { max: 100, ...options })).map((message) => message.text())
}

describe('subscriptions', () => {
  it('each get every message, and settle it independently', async () => {
    const { client } = await start()
    await client.queues.subscriptions.create('orders', 'billing')
    await client.send('orders', 'x')
    for (const subscription of ['main', 'billing']) {
      const [message] = await client.receive('orders', { subscription })
      await message!.ack()
    }
    const { subscriptions } = await client.queues.describe('orders')
    expect(subscriptions).toMatchObject([
      { name: 'main', counts: { committed: 1 } },
      { name: 'billing', counts: { committed: 1 } },
    ])
  })

  it('are created once, changed, paused, reset and deleted by name', async () => {
    const { client } = await start()
    const { subscriptions } = client.queues
    expect(await subscriptions.create('orders', 'billing', { retriesMax: 1 })).toEqual({ created: true })
    expect(await subscriptions.create('orders', 'billing', { retriesMax: 1 })).toEqual({ created: false })
    await expect(subscriptions.create('orders', 'billing')).rejects.toMatchObject({
      id: 'SubscriptionExists',
    })
    await subscriptions.update('orders', 'billing', { deadLetter: 'billing-dlq' })
    expect((await client.queues.describe('orders')).subscriptions[1]).toMatchObject({
      settings: { retriesMax: 1, deadLetter: { name: 'billing-dlq' } },
    })
    await client.send('orders', 'a')
    await subscriptions.pause('orders', 'billing')
    expect(await texts(client, 'billing')).toEqual([])
    await subscriptions.resume('orders', 'billing')
    expect(await texts(client, 'billing')).toEqual(['a'])
    await subscriptions.reset('orders', 'billing')
    await client.send('orders', 'b')
    expect(await texts(client, 'billing')).toEqual(['b'])
    await subscriptions.delete('orders', 'billing')
    await expect(client.receive('orders', { subscription: 'billing' })).rejects.toMatchObject({
      id: 'UnknownSubscription',
    })
    expect(await texts(client)).toEqual(['a', 'b'])
  })

  it('are consumed with their own settings, and a missing one ends the consumer', async () => {
    const { client } = await start()
    await client.queues.subscriptions.create('orders', 'billing', { batchMessages: 2, batchWaitMs: 0 })
    const sizes: number[] = []
    const consumer = client.consume('orders', (batch) => void sizes.push(batch.messages.length), {
      subscription: 'billing',
    })
    await client.sendBatch('orders', [{ body: '1' }, { body: '2' }, { body: '3' }, { body: '4' }])
    await waitUntil(() => sizes.length === 2)
    expect(sizes).toEqual([2, 2])
    await consumer.stop()
    const { closed } = client.consume('orders', () => {}, { subscription: 'nobody' })
    await expect(closed).rejects.toMatchObject({ id: 'UnknownSubscription' })
  })
})

describe('tags', () => {
  it('decide who gets a message, and are delivered with it', async () => {
    const { client } = await start()
    await client.queues.subscriptions.create('orders', 'eu', { tags: ['eu'] })
    await client.send('orders', 'of eu', { tag: 'eu' })
    await client.sendBatch(
      'orders',
      [{ body: 'of us', tag: 'us' }, { body: 'of nobody', tag: '' }, { body: 'of all' }],
      {
        tag: 'eu',
      },
    )
    const received = await client.receive('orders', { max: 10, subscription: 'eu' })
    expect(received.map((message) => [message.text(), message.tag])).toEqual([
      ['of eu', 'eu'],
      ['of all', 'eu'],
    ])
    expect(await texts(client)).toEqual(['of eu', 'of us', 'of nobody', 'of all'])
  })

  it('travel with the sends that have some, and cost the others nothing', async () => {
    const { client, enqueues } = await start()
    await Promise.all([client.send('orders', 'a'), client.send('orders', 'b')])
    await Promise.all([client.send('orders', 'c'), client.send('orders', 'd', { tag: 'x' })])
    expect(enqueues().map(({ messages, tags }) => [messages.length, tags])).toEqual([
      [2, undefined],
      [2, ['', 'x']],
    ])
  })

  it.each(['a|b', 'x'.repeat(129)])('may not be %s', async (tag) => {
    const { client } = await start()
    await expect(client.send('orders', 'x', { tag })).rejects.toMatchObject({ id: 'InvalidArgument' })
  })

  it('are kept by dead letters', async () => {
    const { client } = await start()
    await client.queues.create('failed')
    await client.queues.subscriptions.create('failed', 'eu', { tags: ['eu'] })
    await client.queues.update('orders', { deadLetter: 'failed' })
    await client.sendBatch('orders', [
      { body: 'a', tag: 'us' },
      { body: 'b', tag: 'eu' },
    ])
    for (const message of await client.receive('orders', { max: 2 })) await message.deadLetter('no')
    const received = await client.receive('failed', { subscription: 'eu', max: 10, waitMs: 5_000 })
    expect(received.map((message) => [message.text(), message.tag])).toEqual([['b', 'eu']])
  })
})
