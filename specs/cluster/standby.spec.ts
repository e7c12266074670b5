import type { Client } from '@kiroku/client'
import { connect } from '@kiroku/client-nats'
import { clusterStatus } from '@kiroku/cluster'
import { connect as connectNats } from '@kiroku/nats'
import type { Server } from '@kiroku/nats-server'
import { partitionOf } from '@kiroku/protocol'
import { freePort, startTestNats, temporaryFolder, waitUntil, type TemporaryFolder } from '@kiroku/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EngineProcess } from '../chaos/EngineProcess.ts'

const partitions = 4
/** Messages that lived in each partition before: too few for a resume point, so that a load replays every one. */
const aged = 200

let server: Server
let folder: TemporaryFolder
let client: Client
let nats: Awaited<ReturnType<typeof connectNats>>
const nodes: EngineProcess[] = []

beforeEach(async () => {
  ;[server, folder] = await Promise.all([startTestNats(), temporaryFolder()])
  client = await connect({ servers: server.url })
  nats = await connectNats({ servers: server.url })
})
afterEach(async () => {
  for (const node of nodes.splice(0)) node.kill()
  await Promise.all([client.close(), nats.close()])
  await Promise.all([server.stop(), folder.remove()])
})

/** Starts a node; its metrics are at the address. */
const start = async (name: string, ...flags: string[]) => {
  const http = `127.0.0.1:${await freePort()}`
  const node = new EngineProcess({
    name,
    url: server.url,
    folder: folder.path,
    partitions,
    flags: ['--http', http, '--audit', 'off', ...flags],
  })
  nodes.push(node)
  node.start()
  return { node, http }
}

/** One queue a partition. */
const queues = Array.from({ length: partitions }, (_, partition) => {
  for (let i = 0; ; i++) if (partitionOf(`work-${i}`, partitions) === partition) return `work-${i}`
})

/** Sends messages one by one to every queue, so that each has records of its own. */
const live = (messages: number): Promise<unknown> =>
  Promise.all(
    queues.map(async (queue) => {
      for (let i = 0; i < messages; i++) await client.send(queue, `message ${i}`)
    }),
  )

/** The partitions that the process owns, once each process has its share. */
const sharedBy = async (...all: EngineProcess[]): Promise<number[]> => {
  const owned = await waitUntil(
    async () => {
      const active = (await client.partitions()).filter(({ state }) => state === 'Active')
      const byPid = all.map(({ pid }) => active.filter(({ node }) => node.endsWith(`-${pid}`)))
      return byPid.every(({ length }) => length === partitions / all.length) ? byPid[0] : undefined
    },
    { timeoutMs: 30_000 },
  )
  return owned.map(({ partition }) => partition)
}

/** Resolves when every partition has a standby that has read all of its log. */
const allFollowed = () =>
  waitUntil(
    async () => {
      const { partitions: each } = await clusterStatus(nats, 'main')
      const described = await client.partitions()
      return each.every(
        ({ partition, standbySeq = -1 }) =>
          standbySeq >= (described.find((one) => one.partition === partition)?.lastSeq ?? Infinity),
      )
    },
    { timeoutMs: 30_000 },
  )

/** Events that the last take-over of each partition replayed, by partition. */
const replayed = async (http: string): Promise<Map<number, number>> => {
  const text = await (await fetch(`http://${http}/metrics`)).text()
  return new Map(
    [...text.matchAll(/^kiroku_replay_events\{partition="(\d+)"\} (\d+)$/gm)].map(([, partition, events]) => [
      Number(partition),
      Number(events),
    ]),
  )
}

/** Two nodes share partitions that are not new; one is killed. Resolves to what the other had to replay of each of its partitions. */
const takeOver = async (options: { standby: 'on' | 'off'; until: () => Promise<unknown> }) => {
  const flags = ['--standby', options.standby]
  const [first, second] = await Promise.all([start('first', ...flags), start('second', ...flags)])
  const its = await sharedBy(first.node, second.node)
  await Promise.all(queues.map((queue) => client.queues.create(queue)))
  await live(aged)
  await options.until()
  await first.node.end('SIGKILL')
  await sharedBy(second.node)
  await live(1)
  const counts = await Promise.all(queues.map((queue) => client.queues.describe(queue)))
  expect(counts.map(({ counts: { available } }) => available)).toEqual(queues.map(() => aged + 1))
  const events = await replayed(second.http)
  return its.map((partition) => events.get(partition)!)
}

describe('the standby of a partition', { timeout: 90_000 }, () => {
  it('[CARD-07] takes it over when its owner is killed, and replays nothing that is old', async () => {
    const events = await takeOver({ standby: 'on', until: allFollowed })
    for (const count of events) expect(count).toBeLessThan(aged / 4)
  })

  it('[CARD-07] is off where nobody wants it: the take-over replays the log then', async () => {
    const events = await takeOver({
      standby: 'off',
      until: async () => {
        const { partitions: each } = await clusterStatus(nats, 'main')
        expect(each.every(({ standby }) => standby === undefined)).toBe(true)
      },
    })
    for (const count of events) expect(count).toBeGreaterThanOrEqual(aged)
  })
})
