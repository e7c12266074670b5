import type { Client } from '@kiroku/client'
import { connect } from '@kiroku/client-nats'
import { connect as connectNats } from '@kiroku/nats'
import type { Server } from '@kiroku/nats-server'
import type { KirokuError } from '@kiroku/protocol'
import { startTestNats, temporaryFolder, waitUntil, type TemporaryFolder } from '@kiroku/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EngineProcess } from '../chaos/EngineProcess.ts'

const partitions = 4
const buckets = [
  'KV_KIROKU_CATALOGUE',
  'KV_KIROKU_main_LOCKS',
  'KV_KIROKU_main_RUNNERS',
  'OBJ_KIROKU_main_CHECKPOINTS',
]

let server: Server
let folder: TemporaryFolder
let nats: Awaited<ReturnType<typeof connectNats>>
let nodes: EngineProcess[]

beforeEach(async () => {
  ;[server, folder] = await Promise.all([startTestNats(), temporaryFolder()])
  nats = await connectNats({ servers: server.url })
  nodes = ['first', 'second'].map(
    (name) =>
      new EngineProcess({
        name,
        url: server.url,
        folder: folder.path,
        partitions,
        flags: ['--audit', 'off'],
      }),
  )
  for (const node of nodes) node.start()
})

afterEach(async () => {
  for (const node of nodes) node.kill()
  await nats.close()
  await Promise.all([server.stop(), folder.remove()])
})

const api = async (what: 'INFO' | 'DELETE', stream: string) =>
  (await nats.request(`$JS.API.STREAM.${what}.${stream}`)).json<{ readonly error?: object }>()

const deleteAll = async (): Promise<void> => {
  for (const bucket of buckets) expect((await api('DELETE', bucket)).error).toBeUndefined()
}

const areAllThere = async (): Promise<boolean> =>
  (await Promise.all(buckets.map((bucket) => api('INFO', bucket)))).every(({ error }) => error === undefined)

/** Who owns each partition, by the epoch of the ownership, once each node has two. */
const shared = async (client: Client): Promise<string[] | undefined> => {
  const owners = await client.partitions()
  const counts = nodes.map(({ pid }) => owners.filter(({ node }) => node.endsWith(`-${pid}`)).length)
  if (!counts.every((count) => count === partitions / 2)) return undefined
  return owners.map(({ partition, node, epoch, state }) => `${partition} ${node} ${epoch} ${state}`).sort()
}

const queues = Array.from({ length: 8 }, (_, i) => `work-${i}`)

const sendAll = (client: Client): Promise<unknown> =>
  Promise.all(queues.map((queue) => client.send(queue, 'x')))

describe('the buckets of a log, all of them deleted', () => {
  it('[CARD-07] while its nodes run, come back by themselves; no partition moves, and clients notice nothing', async () => {
    const client = await connect({ servers: server.url })
    try {
      const before = await waitUntil(() => shared(client), { timeoutMs: 60_000 })
      for (const queue of queues) await client.queues.create(queue)
      await sendAll(client)
      await deleteAll()
      await waitUntil(
        async () => {
          await sendAll(client)
          return areAllThere()
        },
        { timeoutMs: 60_000, what: 'all buckets are there again' },
      )
      expect(await shared(client)).toEqual(before)
    } finally {
      await client.close()
    }
    const other = await connect({ servers: server.url })
    await sendAll(other)
    await other.close()
    // Another node can take over from here.
    await nodes[0]!.end('SIGKILL')
    const last = await connect({ servers: server.url })
    await sendAll(last)
    await last.close()
  })

  it('[CARD-07] while none runs, come back with the first node, and every message is still there', async () => {
    const client = await connect({ servers: server.url })
    for (const queue of queues) await client.queues.create(queue)
    for (let i = 0; i < 10; i++) await sendAll(client)
    await client.close()
    await Promise.all(nodes.map((node) => node.end('SIGTERM')))
    await deleteAll()
    for (const node of nodes) node.start()
    const later = await waitUntil(() => connect({ servers: server.url }))
    try {
      const counts = await waitUntil(async () =>
        (await later.queues.list()).map(({ counts: { available } }) => available),
      )
      expect(counts).toEqual(queues.map(() => 10))
      expect(await areAllThere()).toBe(true)
    } finally {
      await later.close()
    }
  })
})

it('[CARD-07] a stream that is deleted while its owner runs closes its partition, which says so; the others go on', async () => {
  const client = await connect({ servers: server.url })
  try {
    for (const queue of queues) await client.queues.create(queue)
    await sendAll(client)
    const [lost] = await client.queues.list()
    await api('DELETE', `KIROKU_main_${lost!.partition}`)
    const refused = await waitUntil(() =>
      client.send(lost!.name, 'x').then(
        () => undefined,
        (error: KirokuError) => error.id === 'Quarantined' && error,
      ),
    )
    expect(refused.message).toContain(`NATS has no stream KIROKU_main_${lost!.partition} of this log`)
    for (const { name, partition } of (await client.queues.survey()).queues)
      if (partition !== lost!.partition) await client.send(name, 'x')
  } finally {
    await client.close()
  }
})
