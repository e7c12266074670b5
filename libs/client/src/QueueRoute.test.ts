import { type Command, type CommandOf, KirokuError } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import { startMemoryEngine } from '@kiroku/testkit/engine'
import { afterEach, describe, expect, it } from 'vitest'
import { createClient, inProcess, type Client, type ClientEvent, type Transport } from './index.ts'
import { limits } from './limits.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const partitions = 4

/** A queue on all partitions of an engine, and a client that can be cut off from some of them. */
const start = async () => {
  const engine = await startMemoryEngine({ partitions })
  closers.push(() => engine.close())
  const lost = new Map<number, KirokuError>()
  const requests: { readonly partition: number; readonly command: Command }[] = []
  const transport = inProcess(engine.node())
  const watched: Transport = {
    ...transport,
    request: (partition, commands, options) => {
      for (const command of commands) requests.push({ partition, command })
      const error = lost.get(partition)
      return error === undefined ? transport.request(partition, commands, options) : Promise.reject(error)
    },
  }
  const events: ClientEvent[] = []
  const client = createClient(watched, { requestTimeoutMs: 300, onEvent: (event) => events.push(event) })
  closers.push(() => client.close())
  await client.queues.create('mail', { batchWaitMs: 0 })
  await client.queues.spread('mail', partitions)
  await client.send('mail', 'the first answer names the parts')
  await client.queues.purge('mail')
  const { spread } = await client.queues.describe('mail')
  const parts = spread!.parts.slice(1).map(({ partition }) => partition)
  return { client, lost, requests, events, parts, home: spread!.parts[0]!.partition }
}

const unavailable = new KirokuError('Unavailable', 'nobody there')
const numbered = (count: number): string[] => Array.from({ length: count }, (_, i) => `${i}`)

const sentTo = (requests: readonly { readonly partition: number; readonly command: Command }[]): number[] =>
  requests.flatMap(({ partition, command }) =>
    command.type === 'Enqueue' ? command.messages.map(() => partition) : [],
  )

const drain = async (client: Client): Promise<string[]> => {
  const got: string[] = []
  for (;;) {
    const messages = await client.receive('mail', { max: 100, waitMs: 0 })
    if (messages.length === 0) return got
    for (const message of messages) {
      got.push(message.text())
      await message.ack()
    }
  }
}

describe('sends to a spread queue', () => {
  it('find its parts again when the program has named more queues than a client remembers', async () => {
    const { client, requests } = await start()
    await Promise.allSettled(Array.from({ length: limits.routesMax }, (_, i) => client.send(`no-${i}`, 'x')))
    requests.length = 0
    for (const body of numbered(8)) await client.send('mail', body)
    const versions = requests.map(({ command }) => (command as CommandOf<'Enqueue'>).spread)
    expect(versions[0]).toBeUndefined()
    expect(versions.slice(1)).not.toContain(undefined)
    expect(await drain(client)).toHaveLength(8)
  })

  it('take turns, and travel together when they are many', async () => {
    const { client, requests } = await start()
    requests.length = 0
    for (const body of numbered(8)) await client.send('mail', body)
    for (let n = 0; n < partitions; n++) expect(sentTo(requests).filter((to) => to === n)).toHaveLength(2)
    requests.length = 0
    await Promise.all(numbered(256).map((body) => client.send('mail', body)))
    const enqueues = requests.filter(({ command }) => command.type === 'Enqueue')
    expect(enqueues.length).toBe(4)
    for (let n = 0; n < partitions; n++) expect(sentTo(requests).filter((to) => to === n)).toHaveLength(64)
  })

  it('continue elsewhere while a part does not answer; only what was given to it waits', async () => {
    const { client, lost, parts } = await start()
    lost.set(parts[0]!, unavailable)
    const bodies = numbered(400)
    let stored = 0
    const producer = async (): Promise<void> => {
      for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
        await client.send('mail', body)
        stored++
      }
    }
    const producers = Array.from({ length: 10 }, () => producer())
    await waitUntil(() => bodies.length === 0)
    expect(stored).toBeGreaterThan(380)
    lost.clear()
    await Promise.all(producers)
    expect((await drain(client)).toSorted()).toEqual(numbered(400).toSorted())
  })

  it('avoid a part that is closed by damage', async () => {
    const { client, lost, parts } = await start()
    lost.set(parts[0]!, new KirokuError('Quarantined', 'damaged'))
    let refused = 0
    for (const body of numbered(40)) await client.send('mail', body).catch(() => refused++)
    expect(refused).toBeLessThanOrEqual(2)
  })
})

describe('receives from a spread queue', () => {
  it('find messages anywhere, even while a part does not answer, but never report an empty queue then', async () => {
    const { client, lost, parts } = await start()
    for (const body of numbered(8)) await client.send('mail', body)
    lost.set(parts[1]!, unavailable)
    const got: string[] = []
    for (let i = 0; i < 6; i++) {
      const [message] = await client.receive('mail', { waitMs: 0 })
      got.push(message!.text())
      await message!.ack()
    }
    await expect(client.receive('mail', { waitMs: 0 })).rejects.toMatchObject({ id: 'Unavailable' })
    lost.clear()
    got.push(...(await drain(client)))
    expect(got.toSorted()).toEqual(numbered(8))
  })

  it('are served by a part that comes back to a waiting consumer', async () => {
    const { client, lost, parts } = await start()
    const got: string[] = []
    lost.set(parts[2]!, unavailable)
    client.consume('mail', (batch) => {
      for (const message of batch.messages) got.push(message.text())
    })
    const sends = numbered(8).map((body) => client.send('mail', body))
    await waitUntil(() => got.length > 0)
    lost.clear()
    await Promise.all(sends)
    await waitUntil(() => got.length === 8)
    expect(got.toSorted()).toEqual(numbered(8))
  })

  it('give back what came from a second part, without counting the attempt', async () => {
    const { client } = await start()
    const waiting = client.receive('mail', { waitMs: 5_000 })
    const sends = await Promise.all(numbered(3).map(() => client.sendBatch('mail', [{ body: 'x' }])))
    expect(sends).toHaveLength(3)
    const [first] = await waiting
    expect(first).toMatchObject({ attempt: 1 })
    await first!.ack()
    await waitUntil(async () => (await client.queues.describe('mail')).counts.inflight === 0)
    const rest = await client.receive('mail', { max: 10, waitMs: 0 })
    expect(rest[0]).toMatchObject({ attempt: 1 })
  })

  it('are given up in all parts at once', async () => {
    const { client, requests } = await start()
    const stop = new AbortController()
    const receiving = client.receive('mail', { waitMs: 20_000, signal: stop.signal })
    const waiting = async (): Promise<number> => (await client.queues.describe('mail')).waitingPolls
    await waitUntil(async () => (await waiting()) === partitions)
    requests.length = 0
    stop.abort(new Error('enough'))
    const cancelled = requests.filter(({ command }) => command.type === 'CancelReceive')
    expect(cancelled.map(({ partition }) => partition).toSorted()).toEqual([0, 1, 2, 3])
    await expect(receiving).rejects.toThrow('enough')
    await waitUntil(async () => (await waiting()) === 0)
    await expect(client.receive('mail', { signal: stop.signal })).rejects.toThrow('enough')
  })

  it('ask one part per batch while it has messages', async () => {
    const { client, requests } = await start()
    for (const body of numbered(40)) await client.send('mail', body)
    requests.length = 0
    for (let i = 0; i < 40; i++) await client.receive('mail', { waitMs: 1_000 })
    expect(requests.filter(({ command }) => command.type === 'Receive').length).toBeLessThanOrEqual(48)
  })
})

describe('a client that knows the parts of a queue', () => {
  it('forgets them when the queue is deleted and created again', async () => {
    const { client, requests, home } = await start()
    await client.queues.delete('mail')
    await client.queues.create('mail')
    for (const body of numbered(8)) await client.send('mail', body)
    expect((await drain(client)).toSorted()).toEqual(numbered(8))
    requests.length = 0
    for (const body of numbered(8)) await client.send('mail', body)
    expect(new Set(sentTo(requests))).toEqual(new Set([home]))
  })

  it('reports what is wrong with a request as if there were no parts', async () => {
    const { client } = await start()
    await expect(client.receive('mail', { max: 0 })).rejects.toMatchObject({ id: 'InvalidArgument' })
    await expect(client.receive('mail', { subscription: 'x' })).rejects.toMatchObject({
      id: 'UnknownSubscription',
    })
    const stopped = AbortSignal.timeout(50)
    await expect(client.receive('mail', { waitMs: 5_000, signal: stopped })).rejects.toMatchObject({
      name: 'TimeoutError',
    })
  })
})
