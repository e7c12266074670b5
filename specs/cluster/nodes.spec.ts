import type { Client } from '@kiroku/client'
import { connect } from '@kiroku/client-nats'
import type { Server } from '@kiroku/nats-server'
import { partitionOf } from '@kiroku/protocol'
import { startTestNats, temporaryFolder, waitUntil, type TemporaryFolder } from '@kiroku/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EngineProcess } from '../chaos/EngineProcess.ts'

const partitions = 4
/** What the cluster promises after a kill; on an idle machine it takes a tenth of it. */
const takeOverMsMax = 5_000
/** Sooner than any lock runs out: the partitions were handed over, not taken over. The time itself is printed. */
const lockTtlMs = 3_000

let server: Server
let folder: TemporaryFolder
let first: EngineProcess
let second: EngineProcess
let client: Client

beforeEach(async () => {
  ;[server, folder] = await Promise.all([startTestNats(), temporaryFolder()])
  const node = (name: string) => new EngineProcess({ name, url: server.url, folder: folder.path, partitions })
  first = node('first')
  second = node('second')
  first.start()
  second.start()
  client = await connect({ servers: server.url })
  await waitUntil(evenly, { timeoutMs: 30_000 })
}, 60_000)

afterEach(async () => {
  first.kill()
  second.kill()
  await client.close()
  await Promise.all([server.stop(), folder.remove()])
})

/** How many partitions each process owns, by process id. */
const owners = async (): Promise<Map<number, number>> => {
  const counts = new Map<number, number>()
  for (const { node, state } of await client.partitions()) {
    const pid = Number(node.slice(node.lastIndexOf('-') + 1))
    if (state === 'Active') counts.set(pid, (counts.get(pid) ?? 0) + 1)
  }
  return counts
}

const evenly = async (): Promise<boolean> => {
  const counts = await owners()
  return counts.get(first.pid) === partitions / 2 && counts.get(second.pid) === partitions / 2
}

const allOn = async (node: EngineProcess): Promise<boolean> => (await owners()).get(node.pid) === partitions

/** One queue a partition. */
const queues = Array.from({ length: partitions }, (_, partition) => {
  for (let i = 0; ; i++) if (partitionOf(`work-${i}`, partitions) === partition) return `work-${i}`
})

/** Sends to every queue and consumes from it, without a break; notes the longest pause of any partition. */
const startTraffic = async () => {
  await Promise.all(queues.map((queue) => client.queues.create(queue, { batchWaitMs: 10, leaseMs: 2_000 })))
  const sent = new Set<string>()
  const consumed = new Map<string, number>()
  const pauses: { readonly queue: string; readonly ms: number }[] = []
  let stopping = false
  const consumers = queues.map((queue) =>
    client.consumeEach(queue, (message) => {
      const id = message.text()
      consumed.set(id, (consumed.get(id) ?? 0) + 1)
    }),
  )
  const loops = queues.map(async (queue) => {
    let beforeMs = performance.now()
    for (let n = 0; !stopping; n++) {
      await client.send(queue, `${queue} ${n}`)
      sent.add(`${queue} ${n}`)
      pauses.push({ queue, ms: performance.now() - beforeMs })
      beforeMs = performance.now()
    }
  })
  await waitUntil(() => consumed.size > 100)
  return {
    longestPauseMs: () => Math.round(Math.max(...pauses.map(({ ms }) => ms))),
    /** Stops sending, waits until all of it is consumed. */
    finish: async () => {
      stopping = true
      await Promise.all(loops)
      await waitUntil(() => [...sent].every((id) => consumed.has(id)), { timeoutMs: 60_000 })
      await Promise.all(consumers.map((consumer) => consumer.stop()))
    },
    sent,
    consumed,
  }
}

/** Another send to every partition is acknowledged. */
const sendEverywhere = (): Promise<unknown> => Promise.all(queues.map((queue) => client.send(queue, 'probe')))

describe('two nodes on one NATS', () => {
  it('[CARD-07] one is killed: the other takes its partitions over, and clients notice nothing but a pause', async () => {
    const traffic = await startTraffic()
    const killedMs = performance.now()
    await first.end('SIGKILL')
    const isTakenOver = await waitUntil(() => allOn(second), { timeoutMs: 2 * takeOverMsMax }).catch(
      () => false,
    )
    expect(isTakenOver).toBe(true)
    await sendEverywhere()
    const takenOverMs = Math.round(performance.now() - killedMs)
    await traffic.finish()
    console.info(`take-over after kill -9: ${takenOverMs} ms, longest pause ${traffic.longestPauseMs()} ms`)
    expect(takenOverMs).toBeLessThan(takeOverMsMax)
    expect(traffic.consumed.size).toBeGreaterThanOrEqual(traffic.sent.size)
  })

  it('one is stopped: it hands its partitions over, and nothing is delivered twice', async () => {
    const traffic = await startTraffic()
    await first.end('SIGTERM')
    await waitUntil(() => allOn(second), { timeoutMs: 30_000 })
    await sendEverywhere()
    await traffic.finish()
    console.info(`hand-over on SIGTERM: longest pause of a partition ${traffic.longestPauseMs()} ms`)
    expect(traffic.longestPauseMs()).toBeLessThan(lockTtlMs)
    expect([...traffic.sent].filter((id) => traffic.consumed.get(id) !== 1)).toEqual([])
  })

  it('one that comes back gets its share again, and clients notice nothing but a pause', async () => {
    const traffic = await startTraffic()
    await first.end('SIGKILL')
    await waitUntil(() => allOn(second), { timeoutMs: 30_000 })
    first.start()
    await waitUntil(evenly, { timeoutMs: 30_000 })
    await traffic.finish()
    expect(traffic.consumed.size).toBeGreaterThanOrEqual(traffic.sent.size)
  })
})
