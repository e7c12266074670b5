import type { ClientEvent } from '@kiroku/client'
import { LinkServer } from '@kiroku/link'
import { connect as connectNats, serveCommands, type CommandServing } from '@kiroku/nats'
import { isKirokuError } from '@kiroku/protocol'
import { startTestNats, temporaryFolder, waitUntil } from '@kiroku/testkit'
import { startMemoryEngine } from '@kiroku/testkit/engine'
import { Kvm } from '@nats-io/kv'
import { afterEach, describe, expect, it } from 'vitest'
import { connect } from './connect.ts'
import { natsTransport } from './natsTransport.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** An engine on a log in memory whose partitions are served over a real nats-server, and over a link. */
const start = async (way: 'on' | 'off' = 'on') => {
  const server = await startTestNats()
  closers.push(() => server.stop())
  const engine = await startMemoryEngine()
  closers.push(() => engine.close())
  const nc = await connectNats({ servers: server.url })
  closers.push(() => nc.close())
  const { meta } = engine.log
  const bucket = await new Kvm(nc).create('KIROKU_CATALOGUE')
  await bucket.put(`log.${meta.name}`, JSON.stringify({ meta, bytesMax: 0, complete: true }))
  let servings: CommandServing[] = []
  let linked = 0
  const folder = await temporaryFolder()
  closers.push(() => folder.remove())
  const link = await LinkServer.start(folder.path, {
    log: meta.name,
    requestBytesMax: 1024 * 1024,
    at: (partition) => {
      linked++
      return servings[partition]
    },
    onTrouble: () => {},
    onDefect: () => {},
  })
  closers.push(() => link.close())
  const serve = (): void => {
    const node = engine.node()
    servings = [0, 1].map((partition) =>
      serveCommands(nc, {
        log: meta.name,
        partition,
        handle: (commands) => node.request(partition, commands),
        undelivered: (items) => items.forEach((item) => node.actors.get(partition)?.undelivered(item)),
        link: link.address,
      }),
    )
    for (const [n, actor] of node.actors) servings[n]?.announce(actor.epoch)
  }
  serve()
  closers.push(() => Promise.all(servings.map((serving) => serving.stop(10))))
  return {
    server,
    engine,
    link,
    /** How many requests came over the link. */
    linked: () => linked,
    /** Hands the partitions over to another node, as a take-over does. */
    takeOver: async () => {
      await Promise.all(servings.map((serving) => serving.stop(10)))
      await engine.restart()
      serve()
    },
    client: async (events: ClientEvent[] = []) => {
      const onEvent = (event: ClientEvent): void => void events.push(event)
      const client = await connect({ servers: server.url, link: way, onEvent })
      closers.push(() => client.close())
      return client
    },
  }
}

describe.each(['on', 'off'] as const)('a client with its link %s', (way) => {
  it('sends, receives and settles', async () => {
    const { client: newClient } = await start(way)
    const client = await newClient()
    await client.queues.create('mail')
    const sent = await Promise.all(Array.from({ length: 300 }, (_, i) => client.send('mail', { i })))
    const received = await client.receive('mail', { max: 300, waitMs: 5_000 })
    expect(received.map((message) => message.id)).toEqual(sent.map((each) => each.messageId))
    await client.ack(received.map((message) => message.receipt))
    expect((await client.queues.describe('mail')).counts).toMatchObject({ committed: 300, inflight: 0 })
  })

  it('keeps its long poll across a take-over', async () => {
    const { client: newClient, takeOver } = await start(way)
    const events: ClientEvent[] = []
    const client = await newClient(events)
    await client.queues.create('mail')
    const waiting = client.receive('mail', { waitMs: 30_000 })
    await waitUntil(async () => (await client.queues.describe('mail')).waitingPolls === 1)
    await takeOver()
    await client.send('mail', 'hello')
    expect((await waiting).map((message) => message.text())).toEqual(['hello'])
  })

  it('may use the memory of sends again, since owners get copies', async () => {
    const { server } = await start(way)
    const nc = await connectNats({ servers: server.url })
    const transport = natsTransport(nc, { link: way, closesConnection: true })
    closers.push(() => transport.close())
    expect(transport.copies).toBe(true)
  })

  it('loses no attempt when it dies with a receive parked', async () => {
    const { client: newClient, server } = await start(way)
    const client = await newClient()
    await client.queues.create('mail')
    const nc = await connectNats({ servers: server.url })
    const dying = natsTransport(nc, { link: way })
    const parked = dying.request(
      (await client.queues.describe('mail')).partition,
      [
        {
          type: 'Receive',
          queue: 'mail',
          poll: 'p',
          max: 1,
          waitMs: 60_000,
          mode: 'push',
          consumer: 'dying',
        },
      ],
      { timeoutMs: 70_000 },
    )
    parked.catch(() => undefined)
    await waitUntil(async () => (await client.queues.describe('mail')).waitingPolls === 1)
    // The server must have noticed: until then, a delivery would get lost, and its message would wait for its lease to end.
    await nc.drain()
    await client.send('mail', 'x')
    const [message] = await client.receive('mail', { waitMs: 10_000 })
    expect(message).toMatchObject({ attempt: 1 })
  })
})

it('a client stores what it sends during an outage of NATS exactly once, when NATS is back', async () => {
  const { client: newClient, server } = await start('off')
  const events: ClientEvent[] = []
  const client = await newClient(events)
  await client.queues.create('mail')
  await server.kill('SIGKILL')
  const sends = Promise.all(Array.from({ length: 20 }, (_, i) => client.send('mail', String(i))))
  await waitUntil(() => events.some((event) => event.type === 'retrying'))
  await server.restart()
  await sends
  const received = await client.receive('mail', { max: 100, waitMs: 5_000 })
  expect(received.map((message) => message.text())).toEqual(Array.from({ length: 20 }, (_, i) => String(i)))
})

it('says that nothing listens, or that the log does not exist', async () => {
  const refused = await connect({ servers: 'nats://127.0.0.1:1' }).catch((error: unknown) => error)
  expect(isKirokuError(refused) && refused.id).toBe('NatsUnreachable')
  const { server } = await start()
  const client = await connect({ servers: server.url, log: 'other', requestTimeoutMs: 0 })
  closers.push(() => client.close())
  await expect(client.send('mail', 'x')).rejects.toMatchObject({ id: 'Unavailable' })
})

describe('a client on the same machine', () => {
  /** A client whose requests to the queue's partition go over the link. */
  const startLinked = async (way: 'on' | 'off' = 'on') => {
    const started = await start(way)
    const events: ClientEvent[] = []
    const client = await started.client(events)
    await client.queues.create('mail')
    const isLinked = async (): Promise<boolean> => {
      const before = started.linked()
      await client.queues.describe('mail')
      return started.linked() > before
    }
    return { ...started, client, events, isLinked }
  }

  it('reaches the owner directly once it was told how, and never where the link is off', async () => {
    const { isLinked } = await startLinked()
    await waitUntil(isLinked)
    const { isLinked: isLinkedWhenOff } = await startLinked('off')
    expect(await isLinkedWhenOff()).toBe(false)
  })

  it('goes on over NATS at once when the link breaks, keeps the order, and takes the link again later', async () => {
    const { client, link, isLinked } = await startLinked()
    await waitUntil(isLinked)
    const sends: Promise<unknown>[] = []
    for (let i = 0; i < 300; i++) {
      sends.push(client.send('mail', String(i)))
      if (i % 100 === 50) link.disconnect()
      if (i % 10 === 0) await sends.at(-1)
    }
    await Promise.all(sends)
    const received = await client.receive('mail', { max: 1_000 })
    expect(received.map((message) => message.text())).toEqual(
      Array.from({ length: 300 }, (_, i) => String(i)),
    )
    await waitUntil(isLinked)
  })

  it('stores large messages as they were sent, whatever breaks while they are written', async () => {
    const { client, link, isLinked, takeOver } = await startLinked()
    await waitUntil(isLinked)
    const bytesOf = (i: number): number => 20_000 + ((i * 7_919) % 100_000)
    const sends: Promise<unknown>[] = []
    for (let i = 0; i < 240; i++) {
      sends.push(client.send('mail', new Uint8Array(bytesOf(i)).fill(i)))
      if (i % 60 === 50) link.disconnect()
      if (i === 120) await takeOver()
      if (i % 10 === 0) await sends.at(-15)
    }
    await Promise.all(sends)
    for (let i = 0; i < 240;) {
      const received = await client.receive('mail', { max: 100 })
      for (const { body } of received) {
        expect(body.length).toBe(bytesOf(i))
        expect(body.every((byte) => byte === i)).toBe(true)
        i++
      }
    }
  })

  it('keeps its long poll when the link breaks, and when the node that it is linked to loses the partition', async () => {
    const { client, link, isLinked, takeOver } = await startLinked()
    await waitUntil(isLinked)
    const isWaiting = async () => (await client.queues.describe('mail')).waitingPolls > 0
    for (const interrupt of [() => Promise.resolve(link.disconnect()), takeOver]) {
      const waiting = client.receive('mail', { waitMs: 30_000 })
      await waitUntil(isWaiting)
      await interrupt()
      await client.send('mail', 'hello')
      const messages = await waiting
      expect(messages.map((message) => message.text())).toEqual(['hello'])
      await client.ack(messages.map((message) => message.receipt))
      await waitUntil(isLinked)
    }
  })

  it('loses no attempt when it dies with a receive parked at the link', async () => {
    const { client, server, linked } = await startLinked()
    const nc = await connectNats({ servers: server.url })
    const dying = natsTransport(nc, { closesConnection: true })
    const { partition } = await client.queues.describe('mail')
    const receive = { type: 'Receive', queue: 'mail', max: 1, mode: 'push', consumer: 'dying' } as const
    const ask = (poll: string, waitMs: number) =>
      dying.request(partition, [{ ...receive, poll, waitMs }], { timeoutMs: 70_000 })
    await waitUntil(async () => {
      const before = linked()
      await ask('first', 0)
      return linked() > before
    })
    ask('parked', 60_000).catch(() => undefined)
    await waitUntil(async () => (await client.queues.describe('mail')).waitingPolls === 1)
    await dying.close()
    await client.send('mail', 'x')
    const [message] = await client.receive('mail', { waitMs: 10_000 })
    expect(message).toMatchObject({ attempt: 1 })
  })
})
