import { expect, it } from 'vitest'
import type { Client, ConsumedMessage } from '@kiroku/client'
import { createWorld, type World } from '../harness/index.ts'

/** A worker that answers with the text in capitals, after a pause that the text names: `a 5` answers `A 5` after 5 s. */
const answering = async (world: World, client: Client, queue: string): Promise<void> => {
  await world.queue(queue, { batchWaitMs: 0 })
  client.consumeEach(queue, async (message: ConsumedMessage) => {
    const text = message.text()
    const [, seconds] = text.split(' ')
    if (seconds !== undefined) await world.sleep(`${Number(seconds)} seconds`)
    await client.reply(message, text.toUpperCase())
  })
}

/** How often replies were sent to each address, that is, to each group of the queue that carries them. */
const addresses = async (world: World): Promise<Map<string, number>> => {
  const sent = new Map<string, number>()
  for (let partition = 0; partition < world.log.meta.partitions; partition++)
    for (const event of await world.record(partition))
      if (event.type === 'Enqueued' && event.group !== undefined)
        sent.set(event.group, (sent.get(event.group) ?? 0) + event.count)
  return sent
}

it('[SQS-11] each request gets its own reply, in whatever order they come', async () => {
  await using world = await createWorld({ partitions: 4 })
  await answering(world, world.newClient('worker'), 'prices')
  const requester = world.client.requester()
  const got: string[] = []
  const requests = ['slow 9', 'quick 1', 'middle 4'].map(async (text) => {
    const reply = await requester.request('prices', text)
    got.push(`${text} → ${reply.text()} at ${world.seconds}`)
  })
  await world.advance('10 seconds')
  await Promise.all(requests)
  expect(got).toEqual(['quick 1 → QUICK 1 at 1', 'middle 4 → MIDDLE 4 at 4', 'slow 9 → SLOW 9 at 9'])
})

it('[SQS-11] a producer has one address for replies, whatever it asks, and whom', async () => {
  await using world = await createWorld({ partitions: 4 })
  const worker = world.newClient('worker')
  for (const queue of ['prices', 'stock', 'names']) await answering(world, worker, queue)
  const requester = world.client.requester()
  expect(await addresses(world)).toEqual(new Map())
  const replies = await Promise.all(
    Array.from({ length: 300 }, (_, i) => requester.request(['prices', 'stock', 'names'][i % 3]!, `x${i}`)),
  )
  expect(replies.map((reply) => reply.text())).toEqual(Array.from({ length: 300 }, (_, i) => `X${i}`))
  expect([...(await addresses(world)).values()]).toEqual([300])
})

it('[SQS-11] two producers share none, and neither sees a reply of the other', async () => {
  await using world = await createWorld({ partitions: 4 })
  await answering(world, world.newClient('worker'), 'prices')
  const [one, two] = [world.newClient('one').requester(), world.newClient('two').requester()]
  const asked = await Promise.all(
    Array.from({ length: 100 }, (_, i) => [
      one.request('prices', `one${i}`),
      two.request('prices', `two${i}`),
    ]).flat(),
  )
  expect(asked.map((reply) => reply.text())).toEqual(
    Array.from({ length: 100 }, (_, i) => [`ONE${i}`, `TWO${i}`]).flat(),
  )
  expect([...(await addresses(world)).values()]).toEqual([100, 100])
  expect([one.dropped, two.dropped]).toEqual([0, 0])
})

it('[SQS-11] without a reply in time it is a typed error, and the late reply is dropped and counted', async () => {
  await using world = await createWorld()
  await answering(world, world.newClient('worker'), 'prices')
  const requester = world.client.requester({ timeoutMs: 10_000 })
  const late = requester
    .request('prices', 'late 12')
    .catch((error: unknown) => ({ at: world.seconds, error }))
  const patient = requester.request('prices', 'patient 12', { timeoutMs: 20_000 })
  await world.advance('11 seconds')
  expect(await late).toMatchObject({ at: 10, error: { id: 'ReplyTimeout' } })
  expect(requester.dropped).toBe(0)

  // When its reply comes, no one gets it, and the other request is not disturbed
  await world.advance('1 second')
  expect(requester.dropped).toBe(1)
  expect(world.events).toMatchObject([{ type: 'replyDropped', correlationId: '1' }])
  expect((await patient).text()).toBe('PATIENT 12')
})

it('[SQS-11] a request that is worked on twice gets one reply, and the second is dropped', async () => {
  // Given a worker that replies and fails afterwards, so that the message comes again
  await using world = await createWorld()
  await world.queue('prices', { batchWaitMs: 0, retriesMax: 1 })
  const worker = world.newClient('worker')
  worker.consumeEach('prices', async (message) => {
    await worker.reply(message, `attempt ${message.attempt}`)
    if (message.attempt === 1) throw new Error('died after the reply')
  })
  const requester = world.client.requester()
  const reply = await requester.request('prices', 'x')
  await world.advance('1 second')
  expect(reply.text()).toBe('attempt 1')
  expect(requester.dropped).toBe(1)
})

it('[SQS-11] closing fails what is awaited, and no worker retries for it', async () => {
  await using world = await createWorld()
  const worker = world.newClient('worker')
  await world.queue('prices', { batchWaitMs: 0 })
  worker.consumeEach('prices', async (message) => {
    await world.sleep('5 seconds')
    await worker.reply(message, 'too late')
  })
  const producer = world.newClient('producer')
  const outcome = producer
    .requester()
    .request('prices', 'x')
    .catch((error: unknown) => error)
  await world.advance('1 second')
  await producer.close()
  expect(await outcome).toMatchObject({ id: 'Stopped' })
  await world.advance('1 minute')
  expect(await world.counts('prices')).toMatchObject({ committed: 1, redelivered: 0 })
})

it("[SQS-11] a living producer's address stays for days, however quiet it is", async () => {
  await using world = await createWorld()
  await answering(world, world.newClient('worker'), 'prices')
  const requester = world.client.requester()
  await requester.request('prices', 'x')
  await world.advance('3 days')
  expect((await requester.request('prices', 'still')).text()).toBe('STILL')
})

it('[SQS-11] a producer whose queue was deleted while it hung makes another', async () => {
  await using world = await createWorld()
  await answering(world, world.newClient('worker'), 'prices')
  const producer = world.newProcess('producer')
  const requester = producer.client.requester()
  await requester.request('prices', 'x')
  producer.freeze()
  // While it hangs there are no receives, so that the queue for replies is idle for a day and is deleted
  await world.advance('25 hours')
  expect((await world.client.queues.list()).map(({ name }) => name)).toEqual(['prices'])
  producer.thaw()
  await world.advance('10 seconds')
  const again = requester.request('prices', 'again')
  await world.advance('1 second')
  expect((await again).text()).toBe('AGAIN')
})

it('[SQS-11] replies outlast a crash of the engine', async () => {
  await using world = await createWorld()
  await answering(world, world.newClient('worker'), 'prices')
  const requester = world.client.requester()
  const asked = requester.request('prices', 'x 20')
  await world.advance('5 seconds')
  await world.restart('crash', '3 seconds')
  await world.advance('20 seconds')
  expect((await asked).text()).toBe('X 20')
})

it('[SQS-11] what cannot be sent, or is given up, fails at once and leaves nothing behind', async () => {
  await using world = await createWorld()
  const requester = world.client.requester()
  await expect(requester.request('nowhere', 'x')).rejects.toMatchObject({ id: 'UnknownQueue' })
  await world.queue('prices')
  const controller = new AbortController()
  const given = requester.request('prices', 'x', { signal: controller.signal })
  controller.abort(new Error('enough'))
  await expect(given).rejects.toThrow('enough')
  await requester.close()
  await expect(requester.request('prices', 'x')).rejects.toMatchObject({ id: 'Stopped' })
})

it('[SQS-11] a message that does not ask for a reply cannot be replied to', async () => {
  await using world = await createWorld()
  await world.queue('prices')
  await world.send('prices', 'x')
  const [message] = await world.receive('prices')
  await expect(world.client.reply(message!, 'y')).rejects.toMatchObject({ id: 'InvalidArgument' })
})
