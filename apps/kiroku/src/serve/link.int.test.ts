import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { connect as connectClient } from '@kiroku/client-nats'
import { connect } from '@kiroku/nats'
import { waitUntil, withNats } from '@kiroku/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { readyOf } from '../testing/Kiroku.ts'
import { withKiroku } from '../testing/withKiroku.ts'

const nats = withNats()
const kiroku = withKiroku()

const serve = (log: string, ...more: readonly string[]) =>
  kiroku().start([
    ...['serve', '--nats', nats().url, '--log', log, '--partitions', '2', '--dead-after', '1s'],
    ...['--audit', 'off', '--json', ...more],
  ])

const sockets = () => readdir(path.join(kiroku().folder, '.kiroku', 'link'))

/** A client, and an observer of the commands that go over NATS. */
const start = async (log: string) => {
  const observer = await connect({ servers: nats().url })
  onTestFinished(() => observer.close())
  let seen = 0
  observer.subscribe(`kiroku.cmd.${log}.*`, { callback: () => void seen++ })
  await observer.flush()
  const client = await connectClient({ servers: nats().url, log })
  onTestFinished(() => client.close())
  await client.queues.create('mail', { bodyBytesMax: 3_000_000 })
  return {
    client,
    /** Whether a command goes past NATS. */
    isLinked: async (): Promise<boolean> => {
      const before = seen
      await client.queues.describe('mail')
      await observer.flush()
      return seen === before
    },
  }
}

it('a client of the same user reaches the node directly: with what it sends, receives and settles', async () => {
  await readyOf(serve('linked'))
  const { client, isLinked } = await start('linked')
  await waitUntil(isLinked)
  const large = 'x'.repeat(2_500_000)
  const sending = Array.from({ length: 10 }, (_, i) => client.send('mail', `${i}${large}`))
  const sent = await Promise.all(sending)
  const received: string[] = []
  const consumer = client.consumeEach('mail', (message) => {
    received.push(message.id)
    expect(message.text()).toHaveLength(large.length + 1)
  })
  await waitUntil(() => received.length === sent.length, { timeoutMs: 20_000 })
  await consumer.stop()
  expect(received.toSorted()).toEqual(sent.map(({ messageId }) => messageId).toSorted())
  expect((await client.queues.describe('mail')).counts).toMatchObject({ committed: 10, inflight: 0 })
})

it('a node that offers no link is reached over NATS', async () => {
  await readyOf(serve('unlinked', '--link', 'off'))
  const { client, isLinked } = await start('unlinked')
  for (let i = 0; i < 20; i++) await client.send('mail', String(i))
  expect(await isLinked()).toBe(false)
  await expect(sockets()).rejects.toThrow('ENOENT')
})

it('nodes of one folder have a socket each, and nothing is lost or reordered when they stop or are killed', async () => {
  const nodes = [serve('shared'), serve('shared')]
  await Promise.all(nodes.map((node) => readyOf(node)))
  expect(await sockets()).toHaveLength(2)
  const { client, isLinked } = await start('shared')
  await waitUntil(isLinked)
  let isOver = false
  let count = 0
  const sends: Promise<unknown>[] = []
  const sending = (async () => {
    while (!isOver) {
      sends.push(client.send('mail', String(count++)))
      if (count % 20 === 0) await sends.at(-1)
    }
  })()
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const before = count
    await waitUntil(() => count > before + 200, { timeoutMs: 20_000 })
    const gone = nodes.shift()!
    gone.child.kill(signal)
    await gone.finished
    const then = count
    await waitUntil(() => count > then + 200, { timeoutMs: 30_000 })
    nodes.push(serve('shared'))
    await readyOf(nodes.at(-1)!)
  }
  isOver = true
  await sending
  await Promise.all(sends)
  const received: string[] = []
  while (received.length < count) {
    const messages = await client.receive('mail', { max: 1_000, waitMs: 5_000 })
    received.push(...messages.map((message) => message.text()))
    await client.ack(messages.map((message) => message.receipt))
  }
  expect(received).toEqual(Array.from({ length: count }, (_, i) => String(i)))
  // The socket of the killed node was removed by the one that came after it.
  expect(await sockets()).toHaveLength(2)
  await waitUntil(isLinked)
})
