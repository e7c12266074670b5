import { expect, it } from 'vitest'
import type { Client } from '@kiroku/client'
import { waitUntil } from '@kiroku/testkit'
import { createNatsWorld, createWorld, type World } from '../harness/index.ts'

/** A worker that answers with the text in capitals, after as many seconds as the text says. */
const answering = async (world: World, client: Client, queue = 'prices'): Promise<void> => {
  await world.queue(queue)
  client.consume(
    queue,
    async (batch) => {
      const replying = batch.messages.map(async (message) => {
        const [, seconds] = message.text().split(' ')
        if (seconds !== undefined) await world.sleep(`${Number(seconds)} seconds`)
        await client.reply(message, message.text().toUpperCase())
      })
      await Promise.all(replying)
    },
    { concurrency: 10 },
  )
}

const queueNames = async (world: World): Promise<string[]> =>
  (await world.client.queues.list()).map(({ name }) => name)

const acts = ['QueueCreated', 'QueueConfigured', 'QueueDeleted', 'SubscriptionCreated', 'SubscriptionDeleted']

it('[ENG-25] any number of requesters share one real queue, and come and go without an act on record', async () => {
  // Given 100 requesters of 10 processes
  await using world = await createWorld()
  await answering(world, world.newClient('worker'))
  const clients = Array.from({ length: 10 }, (_, i) => world.newClient(`producer ${i}`))
  const requesters = clients.flatMap((client) => Array.from({ length: 10 }, () => client.requester()))

  // When all of them ask at the same time
  const replies = await Promise.all(requesters.map((requester, i) => requester.request('prices', `x${i}`)))

  // Then each has its own reply, through one queue with one subscription
  expect(replies.map((reply) => reply.text())).toEqual(requesters.map((_, i) => `X${i}`))
  expect(requesters.map(({ dropped }) => dropped)).toEqual(requesters.map(() => 0))
  expect(await queueNames(world)).toEqual(['prices', 'replies'])
  const { subscriptions, waitingPolls } = await world.client.queues.describe('replies')
  expect([subscriptions.map(({ name }) => name), waitingPolls]).toEqual([['main'], 100])

  // And when they are gone, nothing is left of them, nor was anything recorded but that queue
  await Promise.all(clients.map((client) => client.close()))
  await world.advance('1 minute')
  const { counts, waitingPolls: polls } = await world.client.queues.describe('replies')
  expect([counts.committed, counts.available, counts.inflight, polls]).toEqual([100, 0, 0, 0])
  const recorded = (await world.record()).filter(({ type }) => acts.includes(type))
  expect(recorded).toMatchObject([
    { type: 'QueueCreated', name: 'prices' },
    { type: 'QueueCreated', name: 'replies' },
  ])
})

it('[ENG-25] a reply reaches its requester at once, however many replies of others lie there', async () => {
  // Given replies for 500 requesters that are gone
  await using world = await createWorld()
  await answering(world, world.newClient('worker'))
  const crashing = world.newProcess('crashing')
  for (let i = 0; i < 500; i++)
    crashing.client
      .requester()
      .request('prices', `x${i} 5`)
      .catch(() => undefined)
  await world.advance('1 second')
  crashing.crash()
  await world.advance('5 seconds')
  const before = await world.counts('replies')
  expect(before.available + before.inflight).toBe(500)

  // When another one asks
  const asked = world.seconds
  const reply = await world.client.requester().request('prices', 'mine')

  // Then it has its reply in the same moment, and none of the others
  expect([reply.text(), world.seconds]).toEqual(['MINE', asked])
})

it('[ENG-25] a reply whose requester is gone is not delivered, and is discarded after two minutes', async () => {
  await using world = await createWorld()
  await answering(world, world.newClient('worker'))
  const living = world.client.requester()
  const leaving = world.newClient('leaving')
  const asked = leaving.requester().request('prices', 'x 10')
  asked.catch(() => undefined)
  await world.advance('1 second')
  await leaving.close()
  await expect(asked).rejects.toMatchObject({ id: 'Stopped' })

  // When the reply comes, while others ask
  for (let i = 0; i < 12; i++) {
    await living.request('prices', `y${i}`)
    await world.advance('10 seconds')
  }
  expect(await world.counts('replies')).toMatchObject({ available: 1, committed: 12, discarded: 0 })
  await world.advance('11 seconds')

  // Then it was never delivered, and has ended
  expect(await world.counts('replies')).toMatchObject({ available: 0, committed: 12, discarded: 1 })
  expect(living.dropped).toBe(0)
  const discarded = (await world.record()).filter(({ type }) => type === 'Discarded')
  expect(discarded).toMatchObject([{ reason: 'expired', cause: 'retention' }])
})

it('[ENG-25] a reply that came while its requester was away reaches it when it is back', async () => {
  await using world = await createWorld()
  await answering(world, world.newClient('worker'))
  const producer = world.newProcess('producer')
  const requester = producer.client.requester({ timeoutMs: 300_000 })
  const asked = requester.request('prices', 'x 40')
  await world.advance('1 second')
  producer.freeze()
  await world.advance('100 seconds')
  producer.thaw()
  await world.advance('31 seconds')
  expect((await asked).text()).toBe('X 40')
})

it('[ENG-25] a reply finds its requester behind another connection', async () => {
  // Given a requester that waits for its reply over its own connection
  await using world = await createNatsWorld()
  await world.client.queues.create('prices')
  const producer = await world.remoteClient('producer')
  const asked = producer.client.requester().request('prices', 'x')
  const [request] = await world.client.receive('prices', { waitMs: 10_000 })
  await waitUntil(async () => (await world.client.queues.describe('replies')).waitingPolls === 1)

  // When that connection breaks, and the reply comes while the client makes another
  await producer.reconnect()
  await world.client.reply(request!, 'found')

  // Then the reply arrives
  expect((await asked).text()).toBe('found')
})

it('[ENG-25] an application may have its own queue for its replies, with its own settings', async () => {
  await using world = await createWorld()
  await answering(world, world.newClient('worker'))
  await world.queue('shop-replies', { groups: 'fair', retentionMs: 600_000, deadLetter: 'lost-replies' })
  const requesters = ['a', 'b'].map((name) => world.newClient(name).requester({ queue: 'shop-replies' }))
  const replies = await Promise.all(requesters.map((requester, i) => requester.request('prices', `x${i}`)))
  expect(replies.map((reply) => reply.text())).toEqual(['X0', 'X1'])
  expect(await queueNames(world)).toEqual(['lost-replies', 'prices', 'shop-replies'])
  const { config } = await world.client.queues.describe('shop-replies')
  expect(config).toMatchObject({ retentionMs: 600_000, idleMs: 0 })
})

it('[ENG-25] a queue that has no groups is no queue for replies, and says so at the first request', async () => {
  await using world = await createWorld()
  await answering(world, world.newClient('worker'))
  await world.queue('replies')
  await expect(world.client.requester().request('prices', 'x')).rejects.toMatchObject({
    id: 'InvalidConfig',
    message: expect.stringContaining('"replies" has no groups'),
  })
  expect(await world.counts('prices')).toMatchObject({ sent: 0 })
})

it('[ENG-25] a requester of an older client has its reply in the queue that it made for itself', async () => {
  await using world = await createWorld()
  await answering(world, world.newClient('worker'))
  const own = 'replies-00000001-0000-4000-8000-000000000000'
  await world.queue(own)
  const attributes = { replyTo: own, correlationId: '7' }
  await world.send('prices', 'x', { attributes })
  const [reply] = await world.receive(own)
  expect([reply!.text(), reply!.attributes.correlationId]).toEqual(['X', '7'])
})
