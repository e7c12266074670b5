import { type Command, KirokuError, type Reply } from '@kiroku/protocol'
import { startMemoryEngine } from '@kiroku/testkit/engine'
import { waitUntil } from '@kiroku/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { createClient, inProcess, ownerFirst, type LocalOwners, type Transport } from './index.ts'

/**
 * An engine whose partitions are local when `isHere` says so, and otherwise reached over a counted transport.
 */
const start = async () => {
  const engine = await startMemoryEngine()
  onTestFinished(() => engine.close())
  const asked = { here: 0, there: 0, isHere: (_partition: number): boolean => true }
  const owners: LocalOwners = {
    request: (partition, commands) => {
      if (!asked.isHere(partition)) return undefined
      asked.here++
      return engine.node().request(partition, commands)
    },
  }
  const there = inProcess({
    directory: () => engine.node().directory(),
    request: (partition, commands) => {
      asked.there++
      return engine.node().request(partition, commands)
    },
    onOwnerChanged: (listener) => engine.node().onOwnerChanged(listener),
  })
  return { engine, asked, transport: ownerFirst(owners, there) }
}

/** A client of the same. */
const startClient = async () => {
  const started = await start()
  const client = createClient(started.transport)
  onTestFinished(() => client.close())
  return { ...started, client }
}

/** The transport to an owner that answers by hand. */
const transportTo = (request: LocalOwners['request']): Transport =>
  ownerFirst(
    { request },
    inProcess({
      directory: () => ({ log: 'main', incarnation: 'x', partitions: 4 }),
      request: () => Promise.reject(new KirokuError('Unavailable', 'there is no other')),
      onOwnerChanged: () => () => {},
    }),
  )

const list: readonly Command[] = [{ type: 'ListQueues' }]
const empty: Reply = { epoch: 1, seq: 1, answers: [{ ok: { queues: [] } }] }

it('partitions of this process are asked locally, and the rest over the transport', async () => {
  const { asked, client } = await startClient()
  asked.isHere = (partition) => partition === 0
  const queues = Array.from({ length: 8 }, (_, i) => `queue-${i}`)
  for (const queue of queues) {
    await client.queues.create(queue)
    await client.send(queue, queue)
    const [message] = await client.receive(queue)
    expect(message?.text()).toBe(queue)
    await message!.ack()
  }
  expect(asked.here).toBeGreaterThan(0)
  expect(asked.there).toBeGreaterThan(0)
  asked.isHere = () => true
  const { there } = asked
  for (const queue of queues) await client.send(queue, queue)
  expect(asked.there).toBe(there)
})

it('a client follows an owner that moves away and back, and nothing fails', async () => {
  const { engine, asked, client } = await startClient()
  await client.queues.create('mail')
  const sent: Promise<unknown>[] = []
  for (let round = 0; round < 6; round++) {
    asked.isHere = () => round % 2 === 0
    for (let i = 0; i < 50; i++) sent.push(client.send('mail', { round, i }))
    await engine.restart()
  }
  await Promise.all(sent)
  const { counts } = await client.queues.describe('mail')
  expect(counts.available).toBe(300)
  expect(asked.here).toBeGreaterThan(0)
  expect(asked.there).toBeGreaterThan(0)
})

it('a receive that waits here ends when it is aborted, and leaves messages to others', async () => {
  const { asked, client } = await startClient()
  await client.queues.create('mail')
  const stop = new AbortController()
  const receiving = client.receive('mail', { waitMs: 20_000, signal: stop.signal })
  await waitUntil(async () => (await client.queues.describe('mail')).waitingPolls === 1)
  stop.abort(new Error('enough'))
  await expect(receiving).rejects.toThrow('enough')
  await waitUntil(async () => (await client.queues.describe('mail')).waitingPolls === 0)
  await client.send('mail', 'x')
  expect(await client.receive('mail')).toHaveLength(1)
  expect(asked.there).toBe(0)
})

it('a receive that waits here is answered by the next owner, wherever that is', async () => {
  const { engine, asked, client } = await startClient()
  await client.queues.create('mail')
  const receiving = client.receive('mail', { waitMs: 20_000 })
  await waitUntil(async () => (await client.queues.describe('mail')).waitingPolls === 1)
  asked.isHere = () => false
  await engine.restart()
  await client.send('mail', 'x')
  expect(await receiving).toHaveLength(1)
  expect(asked.there).toBeGreaterThan(0)
})

it('an owner that does not answer in time is a timeout, and its late reply a stray', async () => {
  const { promise, resolve } = Promise.withResolvers<Reply>()
  const transport = transportTo(() => promise)
  const strays: (readonly [number, Reply])[] = []
  transport.onStray((partition, reply) => strays.push([partition, reply]))
  await expect(transport.request(3, list, { timeoutMs: 1 })).rejects.toMatchObject({ id: 'Timeout' })
  resolve(empty)
  await promise
  expect(strays).toEqual([[3, empty]])
})

it('what an owner rejects with is passed on', async () => {
  const transport = transportTo(() => Promise.reject(new KirokuError('NotOwner', 'moved')))
  await expect(transport.request(0, list, { timeoutMs: 1_000 })).rejects.toMatchObject({ id: 'NotOwner' })
})

it('closing fails what is under way', async () => {
  const transport = transportTo(() => new Promise(() => {}))
  const asking = transport.request(0, list, { timeoutMs: 60_000 })
  await transport.close()
  await expect(asking).rejects.toMatchObject({ id: 'Stopped' })
})
