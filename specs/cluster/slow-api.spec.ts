import type { Client } from '@kiroku/client'
import { connect } from '@kiroku/client-nats'
import type { Server } from '@kiroku/nats-server'
import { startTestNats, temporaryFolder, waitUntil, type TemporaryFolder } from '@kiroku/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EngineProcess } from '../chaos/EngineProcess.ts'
import { ApiProxy, type ApiFate } from './ApiProxy.ts'

const partitions = 4
/** Longer than twice what makes a silent node count as dead. */
const disturbedMs = 7_000

let server: Server
let folder: TemporaryFolder
let client: Client
const proxies: ApiProxy[] = []
const nodes: EngineProcess[] = []

beforeEach(async () => {
  ;[server, folder] = await Promise.all([startTestNats(), temporaryFolder()])
  for (const name of ['first', 'second']) {
    const proxy = await ApiProxy.start(server.port)
    const node = new EngineProcess({
      name,
      url: proxy.url,
      folder: folder.path,
      partitions,
      flags: ['--audit', 'off'],
    })
    node.start()
    proxies.push(proxy)
    nodes.push(node)
  }
  client = await connect({ servers: server.url, link: 'off' })
})

afterEach(async () => {
  for (const node of nodes.splice(0)) node.kill()
  for (const proxy of proxies.splice(0)) proxy.close()
  await client.close()
  await Promise.all([server.stop(), folder.remove()])
})

/** Who owns each partition, by the epoch of the ownership; undefined unless both nodes own two. */
const shared = async (): Promise<string[] | undefined> => {
  const owners = (await client.partitions()).map(({ partition, node, epoch, state }) => ({
    node,
    text: `${partition} ${node} ${epoch} ${state}`,
  }))
  const counts = nodes.map(({ pid }) => owners.filter(({ node }) => node.endsWith(`-${pid}`)).length)
  return counts.every((count) => count === partitions / 2) ? owners.map(({ text }) => text).sort() : undefined
}

describe("JetStream's API that", () => {
  it.each<[string, ApiFate]>([
    ['loses every request', 'drop'],
    ['answers every request 3 s late', { lateMs: 3_000 }],
  ])('[CARD-07] %s moves no partition, and sends go on', async (_, fate) => {
    const before = await waitUntil(shared, { timeoutMs: 60_000, what: 'each node owns two partitions' })
    const queues = Array.from({ length: 8 }, (_each, i) => `work-${i}`)
    for (const queue of queues) await client.queues.create(queue)
    for (const proxy of proxies) proxy.fate = fate
    const untilMs = performance.now() + disturbedMs
    let sent = 0
    for (; performance.now() < untilMs; sent += queues.length)
      await Promise.all(queues.map((queue) => client.send(queue, 'x')))
    expect(sent).toBeGreaterThan(0)
    for (const proxy of proxies) {
      expect(proxy.disturbed).toBeGreaterThan(0)
      proxy.fate = 'pass'
    }
    expect(await shared()).toEqual(before)
    const counted = (await client.queues.list()).reduce((sum, { counts }) => sum + counts.sent, 0)
    expect(counted).toBe(sent)
  })
})
