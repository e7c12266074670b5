import type { Log } from '@kiroku/log'
import { logContract } from '@kiroku/log/contract'
import { connect, isNatsAway, requireJetStream } from '@kiroku/nats'
import { isKirokuError } from '@kiroku/protocol'
import { startNatsCluster, waitUntil, withNats, type NatsCluster } from '@kiroku/testkit'
import type { NatsConnection } from '@nats-io/nats-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Catalogue } from './Catalogue.ts'
import type { OpenLogOptions } from './OpenLogOptions.ts'
import { subjectName } from './names.ts'
import { openLog } from './openLog.ts'

/** Opens a log as a node does, which waits where NATS has no answer: it may not to one of several that ask the same. */
const opens = (nc: NatsConnection, options: OpenLogOptions): Promise<Log> =>
  openLog(nc, options).catch((error: unknown) => {
    if (isKirokuError(error) && isNatsAway(error)) return opens(nc, options)
    throw error
  })

/** Every connection goes to the next server, so that what one writes is read elsewhere. */
const contract = (name: string, replicas: number, urls: () => string[]) => {
  let logs = 0
  logContract(name, async ({ partitions, bytesMax }) => {
    const log = `contract${++logs}`
    const connections: NatsConnection[] = []
    const writers = new Map<Log, NatsConnection>()
    const dial = async () => {
      const servers = urls()
      const nc = await connect({ servers: servers[connections.length % servers.length]! })
      connections.push(nc)
      return nc
    }
    return {
      open: async () => {
        const writer = await dial()
        const limit = bytesMax === undefined ? {} : { bytesMax }
        const opened = await openLog(writer, {
          name: log,
          create: { partitions, replicas, ...limit },
          reader: await dial(),
        })
        writers.set(opened, writer)
        return opened
      },
      writeStray: async (partition, bytes) => {
        await connections[0]!.request(subjectName(log, partition), bytes)
      },
      appendWithoutAnswer: async (opened, to, record, expectedLastSeq) => {
        const appended = to.append(record, expectedLastSeq)
        appended.catch(() => {})
        await writers.get(opened)!.reconnect()
        return appended
      },
      close: async () => {
        await Promise.all(connections.map((nc) => nc.close()))
      },
    }
  })
}

describe('on one server', () => {
  const nats = withNats()
  contract('the log over JetStream', 1, () => [nats().url])
})

describe('on a cluster of three servers', () => {
  let cluster: NatsCluster
  const urls = () => [...cluster.urls]
  beforeAll(async () => {
    cluster = await startNatsCluster()
    const nc = await connect({ servers: urls()[0]! })
    try {
      await waitUntil(
        async () => {
          const { streams } = await requireJetStream(nc)
          await streams.add({ name: 'probe', subjects: ['probe'], num_replicas: 3 })
          return streams.delete('probe')
        },
        { timeoutMs: 30_000 },
      )
    } finally {
      await nc.close()
    }
  }, 60_000)
  afterAll(async () => {
    await cluster.stop()
  })
  contract('the log over JetStream with three replicas', 3, urls)

  it(
    'makes one log where three nodes open it at the same moment, and fails none of them',
    { timeout: 120_000 },
    async () => {
      const connections = await Promise.all(urls().map((servers) => connect({ servers })))
      try {
        for (let n = 0; n < 2; n++) {
          const name = `together-${n}`
          const opened = await Promise.all(
            connections.map((nc) => opens(nc, { name, create: { partitions: 1, replicas: 3 } })),
          )
          expect(new Set(opened.map(({ meta }) => meta.incarnation)).size).toBe(1)
          for (const log of opened) await log.close()
        }
      } finally {
        for (const nc of connections) await nc.close()
      }
    },
  )

  it('gives those who add a log to the catalogue at the same moment the entry of the first', async () => {
    const connections = await Promise.all(urls().map((servers) => connect({ servers })))
    try {
      const catalogues = connections.map((nc) => new Catalogue(nc))
      await catalogues[0]!.create('first', { partitions: 1, replicas: 3 })
      for (let n = 0; n < 30; n++) {
        const added = await Promise.all(
          catalogues.map((each) => each.create(`added-${n}`, { partitions: 1, replicas: 3 })),
        )
        expect(new Set(added.map(({ entry }) => entry.meta.incarnation)).size).toBe(1)
      }
    } finally {
      for (const nc of connections) await nc.close()
    }
  })

  it('refuses more replicas than there are servers, and creates nothing', async () => {
    const nc = await connect({ servers: urls()[0]! })
    try {
      const opened = openLog(nc, { name: 'five', create: { partitions: 1, replicas: 5 } })
      await expect(opened).rejects.toMatchObject({
        id: 'InvalidArgument',
        message: expect.stringMatching(/^5 replicas need .* at least 5 servers; NATS says: /) as string,
      })
      const made = await openLog(nc, { name: 'five', create: { partitions: 1, replicas: 3 } })
      expect(made.meta.replicas).toBe(3)
      await made.close()
    } finally {
      await nc.close()
    }
  })
})
