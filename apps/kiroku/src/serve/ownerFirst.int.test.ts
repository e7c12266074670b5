import { createClient } from '@kiroku/client'
import { natsTransport } from '@kiroku/client-nats'
import { connect } from '@kiroku/nats'
import { waitUntil, withNats } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { readyOf } from '../testing/Kiroku.ts'
import { withKiroku } from '../testing/withKiroku.ts'

const nats = withNats()
const kiroku = withKiroku()

const serve = (log: string) =>
  kiroku().start([
    ...['serve', '--nats', nats().url, '--log', log, '--partitions', '4'],
    ...['--http', '127.0.0.1:0', '--audit', 'off', '--json'],
  ])

const queues = ['mail', 'work', 'bills', 'other']

/** An observer on its own connection that sees which commands go over NATS. */
const watch = async (log: string) => {
  const connection = await connect({ servers: nats().url })
  const seen: string[] = []
  connection.subscribe(`kiroku.cmd.${log}.*`, { callback: (_, { subject }) => void seen.push(subject) })
  await connection.flush()
  const client = createClient(natsTransport(connection, { log }))
  return { connection, client, seen, close: () => client.close().then(() => connection.close()) }
}

const post = async (url: string, body: unknown = {}): Promise<unknown> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return response.status === 204 ? undefined : response.json()
}

it('commands to the partitions of its own node do not leave the process, including large bodies and waiting receives', async () => {
  const { api } = await readyOf(serve('alone'))
  const { connection, seen, close } = await watch('alone')
  for (const name of queues) await post(`${api}/v1/queues`, { name, settings: { bodyBytesMax: 3_000_000 } })
  const waiting = post(`${api}/v1/queues/mail/receive`, { waitMs: 20_000 })
  for (const queue of queues)
    await post(`${api}/v1/queues/${queue}/messages`, { body: 'x'.repeat(2_500_000) })
  const { messages } = (await waiting) as { messages: { receipt: string; body: string }[] }
  expect(messages[0]!.body).toHaveLength(2_500_000)
  await post(`${api}/v1/messages/ack`, { receipts: messages.map(({ receipt }) => receipt) })
  expect((await fetch(`${api}/metrics`)).status).toBe(200)
  await connection.flush()
  expect(seen).toEqual([])
  await close()
})

it('sends and receives continue while partitions move to another node and back', async () => {
  const { api } = await readyOf(serve('moving'))
  const { client, seen, close } = await watch('moving')
  for (const name of queues) await post(`${api}/v1/queues`, { name })
  let sent = 0
  const sending = { isOver: false }
  const sends = queues.map(async (queue) => {
    while (!sending.isOver) {
      await post(`${api}/v1/queues/${queue}/messages`, { body: 'x' })
      sent++
    }
  })
  const nodesNow = async () => new Set((await client.partitions()).map(({ node }) => node)).size
  const other = serve('moving')
  await readyOf(other)
  await waitUntil(async () => (await nodesNow()) === 2, { timeoutMs: 20_000 })
  seen.length = 0
  const before = sent
  await waitUntil(() => sent > before + 200, { timeoutMs: 20_000 })
  expect(seen.length).toBeGreaterThan(0)
  other.child.kill('SIGTERM')
  await waitUntil(async () => (await nodesNow()) === 1, { timeoutMs: 20_000 })
  const then = sent
  await waitUntil(() => sent > then + 200, { timeoutMs: 20_000 })
  sending.isOver = true
  await Promise.all(sends)
  const described = await client.queues.list()
  expect(described.reduce((sum, { counts }) => sum + counts.sent, 0)).toBe(sent)
  await close()
})
