import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Client } from '@kiroku/client'
import { connect } from '@kiroku/client-nats'
import type { Server } from '@kiroku/nats-server'
import { featureLevel, partitionOf } from '@kiroku/protocol'
import { startTestNats, temporaryFolder, waitUntil, type TemporaryFolder } from '@kiroku/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { EngineProcess } from '../chaos/EngineProcess.ts'
import { verifyLog } from '../chaos/verifyLog.ts'
import { hasPreviousRelease, previousRelease, unpackPreviousRelease } from './unpackPreviousRelease.ts'

const kiroku = fileURLToPath(new URL('../../apps/kiroku/bin/kiroku.mjs', import.meta.url))
const partitions = 4
const groups = ['a', 'b', 'c']

const isThere = hasPreviousRelease()
if (!isThere)
  console.warn(
    `The specs of two versions are SKIPPED: this clone lacks commit ${previousRelease}; fetch the whole history, as by \`git fetch --unshallow\`.`,
  )

let release: TemporaryFolder
let previous: string
let server: Server
let folder: TemporaryFolder
let client: Client
/** Both versions of each node, on one data folder; one of them runs. */
let nodes: { readonly old: EngineProcess; readonly present: EngineProcess }[]

beforeAll(async () => {
  release = await temporaryFolder()
  if (isThere) previous = unpackPreviousRelease(release.path)
})
afterAll(() => release.remove())

beforeEach(async () => {
  if (!isThere) return
  ;[server, folder] = await Promise.all([startTestNats(), temporaryFolder()])
  nodes = ['first', 'second'].map((name) => {
    const options = { name, url: server.url, folder: folder.path, partitions }
    return {
      old: new EngineProcess({ ...options, executable: previous }),
      present: new EngineProcess(options),
    }
  })
})
afterEach(async () => {
  if (!isThere) return
  for (const { old, present } of nodes) for (const node of [old, present]) node.kill()
  await client?.close()
  await Promise.all([server.stop(), folder.remove()])
})

interface Answer {
  readonly exit: number
  readonly stderr: string
  readonly result: {
    readonly clusterVersion?: number
    readonly nodes?: readonly {
      readonly pid: number
      readonly version?: string
      readonly featureLevel?: number
    }[]
  }
}

const run = (...args: string[]): Promise<Answer> =>
  new Promise((resolve) => {
    execFile(process.execPath, [kiroku, ...args, '--nats', server.url, '--json'], (error, stdout, stderr) =>
      resolve({
        exit: error === null ? 0 : Number(error.code),
        stderr,
        result: stdout === '' ? {} : (JSON.parse(stdout) as Answer['result']),
      }),
    )
  })

/** Process ids of the owners; undefined while a partition has no active one. */
const owningPids = async (): Promise<readonly number[] | undefined> => {
  const active = (await client.partitions()).filter(({ state }) => state === 'Active')
  if (active.length !== partitions) return undefined
  return [...new Set(active.map(({ node }) => Number(node.slice(node.lastIndexOf('-') + 1))))]
}

/** Every partition has an active owner, and that is one of these. */
const areServed = (...owners: EngineProcess[]): Promise<unknown> =>
  waitUntil(async () => (await owningPids())?.every((owning) => owners.some(({ pid }) => pid === owning)), {
    timeoutMs: 30_000,
    what: `the partitions are served by ${owners.map(({ pid }) => pid).join(' or ')}`,
  })

/** Every partition has an active owner among these, and each of these owns one. */
const areShared = (...owners: EngineProcess[]): Promise<unknown> =>
  waitUntil(
    async () => {
      const owning = await owningPids()
      return owning?.length === owners.length && owners.every(({ pid }) => owning.includes(pid))
    },
    { timeoutMs: 30_000, what: `the partitions are shared by ${owners.map(({ pid }) => pid).join(' and ')}` },
  )

/** One queue a partition. */
const queues = Array.from({ length: partitions }, (_, partition) => {
  for (let i = 0; ; i++) if (partitionOf(`work-${i}`, partitions) === partition) return `work-${i}`
})

/** Sends to groups of ordered queues, each send once the one before is acknowledged, and consumes all of it. */
const startTraffic = async () => {
  for (const queue of queues) await client.queues.create(queue, { groups: 'ordered', leaseMs: 2_000 })
  const sent = new Map<string, number>()
  const first = new Map<string, number[]>()
  let stopping = false
  const consumers = queues.map((queue) =>
    client.consumeEach(queue, (message) => {
      const [group, n] = message.text().split(' ') as [string, string]
      const seen = first.get(group) ?? []
      if (!seen.includes(Number(n))) seen.push(Number(n))
      first.set(group, seen)
    }),
  )
  const loops = queues.flatMap((queue) =>
    groups.map(async (group) => {
      const key = `${queue}/${group}`
      for (let n = 1; !stopping; n++) {
        await client.send(queue, `${key} ${n}`, { group })
        sent.set(key, n)
      }
    }),
  )
  const arrived = () => [...sent].every(([key, n]) => (first.get(key)?.length ?? 0) >= n)
  await waitUntil(() => sent.size === loops.length)
  return {
    /** Stops sending, waits until all of it arrived; what of it arrived, by group, in the order of its first delivery. */
    finish: async () => {
      stopping = true
      await Promise.all(loops)
      await waitUntil(arrived, { timeoutMs: 60_000, what: 'all that was acknowledged arrived' })
      await Promise.all(consumers.map((consumer) => consumer.stop()))
      return { sent, first }
    },
  }
}

const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1)

// It took 66 s beside other work on two cores.
describe.skipIf(!isThere)('the previous release beside the present one', { timeout: 180_000 }, () => {
  it('[CARD-07] nodes are replaced one by one, killed, and put back: nothing acknowledged is lost, and the order is kept', async () => {
    const [one, two] = nodes as [(typeof nodes)[0], (typeof nodes)[0]]
    one.old.start()
    two.old.start()
    client = await waitUntil(() => connect({ servers: server.url }), { timeoutMs: 30_000 })
    await areShared(one.old, two.old)
    const traffic = await startTraffic()

    // Upgraded one by one.
    await one.old.end('SIGTERM')
    one.present.start()
    await areShared(one.present, two.old)
    const mixed = await run('cluster', 'status')
    expect(mixed.result.nodes?.find(({ pid }) => pid === one.present.pid)).toMatchObject({ featureLevel })
    expect(mixed.result.nodes?.find(({ pid }) => pid === two.old.pid)).not.toHaveProperty('version')
    const refused = await run('cluster', 'finalize')
    expect(refused.stderr).toContain(`process ${two.old.pid}: version unknown`)
    expect(refused.exit).not.toBe(0)

    // Each kind takes over from one of the other that is killed.
    await two.old.end('SIGKILL')
    await areShared(one.present)
    // The previous release places by rules of its own, and the present one gives it nothing that it holds itself.
    two.old.start()
    await areServed(one.present, two.old)
    await one.present.end('SIGKILL')
    await areShared(two.old)

    // Put back, which works since nothing was finalized.
    one.old.start()
    await areShared(one.old, two.old)

    for (const node of [one, two]) {
      await node.old.end('SIGTERM')
      node.present.start()
      await (node === one ? areServed(one.present, two.old) : areShared(one.present, two.present))
    }
    expect((await run('cluster', 'finalize')).result).toMatchObject({ clusterVersion: featureLevel })
    expect((await run('cluster', 'status')).result).toMatchObject({ clusterVersion: featureLevel })

    const { sent, first } = await traffic.finish()
    for (const [key, n] of sent) expect({ [key]: first.get(key) }).toEqual({ [key]: upTo(n) })
    expect(await verifyLog([server.url])).toMatchObject({ ok: true })
  })
})
