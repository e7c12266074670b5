import { startApi } from '@kiroku/api'
import type { World } from './World.ts'

/** What the HTTP API of a world's engine says at `/metrics`, by name and labels as they are written there. */
export const scrapeMetrics = async (world: World): Promise<ReadonlyMap<string, number>> => {
  const unused = () => Promise.reject(new Error('only metrics are requested'))
  const api = await startApi(
    {
      about: {
        log: 'main',
        incarnation: 'test',
        partitions: world.log.meta.partitions,
        version: '0',
        startedAt: 0,
        pid: process.pid,
        folder: '',
      },
      client: world.client,
      record: () => ({
        search: unused,
        acts: unused,
        history: unused,
        trace: unused,
        stateAt: unused,
        diff: unused,
        logAt: unused,
        span: unused,
        recording: unused,
        batches: unused,
        deadLetters: unused,
        selectLetters: unused,
      }),
      body: unused,
      feed: {
        open: () => {
          throw new Error('only metrics are requested')
        },
      },
      settleMatching: unused,
      clusterStatus: unused,
      finalizeCluster: unused,
      metrics: () => [],
      owned: () => world.engine.describe(),
      warnings: () => [],
      outage: () => Promise.resolve(undefined),
      notReady: () => Promise.resolve(undefined),
    },
    { host: '127.0.0.1', port: 0, bodyBytesMax: 1_000, drainMs: 0 },
  )
  try {
    const text = await (await fetch(`${api.url}/metrics`)).text()
    const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    return new Map(
      samples.map((line) => {
        const end = line.lastIndexOf(' ')
        return [line.slice(0, end), Number(line.slice(end + 1))]
      }),
    )
  } finally {
    await api.close()
  }
}
