import { describe, expect, it } from 'vitest'
import { createWorld } from '../harness/index.ts'

const bodySchema = { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] }
const checked = { bodySchema, bodyCheck: 'all' } as const
const mismatch = {
  id: 'BodyMismatch',
  message: expect.stringContaining('/price must be number') as string,
}

describe('a queue that checks all bodies', () => {
  it('refuses a send that does not fit its schema, with the place, and stores nothing of its batch', async () => {
    await using world = await createWorld()
    await world.queue('orders', checked)
    await expect(world.client.send('orders', { price: '3' })).rejects.toMatchObject(mismatch)
    await expect(world.client.send('orders', 'text')).rejects.toMatchObject({ id: 'BodyMismatch' })
    const batch = [{ body: { price: 3 } }, { body: { price: '3' } }]
    await expect(world.client.sendBatch<unknown>('orders', batch)).rejects.toMatchObject(mismatch)
    await world.client.send('orders', { price: 3 }, { attributes: { a: 'b' } })
    expect(await world.counts('orders')).toMatchObject({ sent: 1, available: 1 })
  })

  it('checks from the moment that it asks for it, and edits only before', async () => {
    await using world = await createWorld()
    await world.queue('orders', { bodySchema })
    await world.client.send('orders', { price: '3' })
    await world.client.queues.update('orders', { bodyCheck: 'all' })
    await expect(world.client.send('orders', { price: '3' })).rejects.toMatchObject(mismatch)
    await world.client.queues.update('orders', { bodySchema: null })
    await world.client.send('orders', { price: '3' })
    expect(await world.counts('orders')).toMatchObject({ sent: 2 })
  })

  it('checks with its next owner too, and on all of its partitions', async () => {
    await using world = await createWorld({ partitions: 2 })
    await world.queue('orders', checked)
    await world.client.queues.spread('orders', 2)
    await world.restart('crash')
    const sends = Array.from({ length: 20 }, (_, i) => world.client.send('orders', { price: i }))
    const wrong = Array.from({ length: 20 }, () => world.client.send('orders', { price: '3' }))
    const [taken, refused] = [Promise.all(sends), Promise.allSettled(wrong)]
    await world.advance('5 seconds')
    await taken
    for (const outcome of await refused) expect(outcome).toMatchObject({ reason: mismatch })
    expect(await world.counts('orders')).toMatchObject({ sent: 20 })
  })

  it('takes every dead letter, and by a redrive what fits', async () => {
    await using world = await createWorld({ partitions: 2 })
    await world.queue('dead', checked)
    await world.queue('orders', { deadLetter: 'dead', retriesMax: 0 })
    for (const price of [3, '3']) {
      await world.client.send('orders', { price })
      const [message] = await world.receive('orders')
      await message!.retry({ error: 'no' })
    }
    await world.advance('1 second')
    expect(await world.counts('dead')).toMatchObject({ available: 2 })

    await world.queue('safe', checked)
    await world.client.queues.redrive('dead', { to: 'safe' })
    await world.advance('1 second')
    expect((await world.client.queues.redrives('dead'))[0]).toMatchObject({
      moved: 1,
      skipped: { schema: 1 },
    })
    expect((await world.receive('safe')).map((message) => message.json())).toEqual([{ price: 3 }])
  })

  it('checks what a Worker sends', async () => {
    await using world = await createWorld()
    await world.queue('orders', checked)
    const failures: unknown[] = []
    await world.queue('trigger')
    const config = {
      consumers: [{ queue: 'trigger', batchWaitMs: 0 }],
      producers: [{ binding: 'ORDERS', queue: 'orders' }],
    }
    await world.worker(config, async (_, env) => {
      const orders = env['ORDERS'] as { send(body: unknown): Promise<void> }
      await orders.send({ price: 3 })
      await orders.send({ price: '3' }).catch((error: unknown) => failures.push(error))
    })
    await world.send('trigger', 'go')
    await world.advance('1 second')
    expect(failures).toMatchObject([mismatch])
    expect(await world.counts('orders')).toMatchObject({ sent: 1 })
  })
})
