import type { ClientEvent } from '@kiroku/client'
import { connect as connectNats, serveCommands, type CommandServing } from '@kiroku/nats'
import { isKirokuError } from '@kiroku/protocol'
import { startTestNats, waitUntil } from '@kiroku/testkit'
import { startMemoryEngine } from '@kiroku/testkit/engine'
import { Kvm } from '@nats-io/kv'
import { afterEach, describe, expect, it } from 'vitest'
import { connect } from './connect.ts'
import { natsTransport } from './natsTransport.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** An engine on a log in memory whose partitions are served over a real nats-server. */
const start = async () => {
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
  const serve = (): void => {
    const node = engine.node()
    servings = [0, 1].map((partition) =>
      serveCommands(nc, {
        log: meta.name,
        partition,
        handle: (commands) => node.request(partition, commands),
        undelivered: (items) => items.forEach((item) => node.actors.get(partition)?.undelivered(item)),
      }),
    )
    for (const [n, actor] of node.actors) servings[n]?.announce(actor.epoch)
  }
  serve()
  closers.push(() => Promise.all(servings.map((serving) => serving.stop(10))))
  return {
    server,
    engine,
    /** Hands the partitions over to another node, as a take-over does. */
    takeOver: async () => {
      await Promise.all(servings.map((serving) => serving.stop(10)))
      await engine.restart()
      serve()
    },
    client: async (events: ClientEvent[] = []) => {
      const client = await connect({ servers: server.url, onEvent: (event) => events.push(event) })
      closers.push(() => client.close())
      return client
    },
  }
}

describe('a client over NATS', () => {
  it('sends, receives and settles', async () => {
    const { client: newClient } = await start()
    const client = await newClient()
    await client.queues.create('mail')
    const sent = await Promise.all(Array.from({ length: 300 }, (_, i) => client.send('mail', { i })))
    const received = await client.receive('mail', { max: 300, waitMs: 5_000 })
    expect(received.map((message) => message.id)).toEqual(sent.map((each) => each.messageId))
    await client.ack(received.map((message) => message.receipt))
    expect((await client.queues.describe('mail')).counts).toMatchObject({ committed: 300, inflight: 0 })
  })

  it('keeps its long poll across a take-over', async () => {
    const { client: newClient, takeOver } = await start()
    const events: ClientEvent[] = []
    const client = await newClient(events)
    await client.queues.create('mail')
    const waiting = client.receive('mail', { waitMs: 30_000 })
    await waitUntil(async () => (await client.queues.describe('mail')).waitingPolls === 1)
    await takeOver()
    await client.send('mail', 'hello')
    expect((await waiting).map((message) => message.text())).toEqual(['hello'])
  })

  it('stores what it sends during an outage of NATS exactly once, when NATS is back', async () => {
    const { client: newClient, server } = await start()
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

  it('loses no attempt when it dies with a receive parked', async () => {
    const { client: newClient, server } = await start()
    const client = await newClient()
    await client.queues.create('mail')
    const nc = await connectNats({ servers: server.url })
    const dying = natsTransport(nc)
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
    await nc.close()
    await client.send('mail', 'x')
    const [message] = await client.receive('mail', { waitMs: 10_000 })
    expect(message).toMatchObject({ attempt: 1 })
  })

  it('says that nothing listens, or that the log does not exist', async () => {
    const refused = await connect({ servers: 'nats://127.0.0.1:1' }).catch((error: unknown) => error)
    expect(isKirokuError(refused) && refused.id).toBe('NatsUnreachable')
    const { server } = await start()
    const client = await connect({ servers: server.url, log: 'other', requestTimeoutMs: 0 })
    closers.push(() => client.close())
    await expect(client.send('mail', 'x')).rejects.toMatchObject({ id: 'Unavailable' })
  })
})
