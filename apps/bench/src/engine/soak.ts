import { startServer } from '@kiroku/nats-server'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bytesIn } from '../bytesIn.ts'
import { residentBytes } from '../console/processorTime.ts'
import { atMost, informs, median, type Figure } from '../Figure.ts'
import { LoadProcess } from '../LoadProcess.ts'
import type { Progress } from '../Progress.ts'
import type { KirokuLoad } from '../load/kirokuLoad.ts'
import { EngineProcess } from './EngineProcess.ts'
import { bodyBytes, type Sizes } from './sizes.ts'

const queue = 'soak'
const rounds = 20
/** So small that the log is trimmed all the time. */
const recordBytes = 128 * 1024 * 1024

/** What a round left behind. */
interface Sample {
  readonly perSecond: number
  readonly rssBytes: number
  readonly diskBytes: number
}

/** Very many lives through one queue, with the engine's memory and the store's size on disk after each twentieth of them. */
export const soak = async (sizes: Sizes, progress: Progress): Promise<Figure[]> => {
  const stop: (() => Promise<void>)[] = []
  try {
    const dataDir = await mkdtemp(join(tmpdir(), 'kiroku-soak-'))
    stop.push(() => rm(dataDir, { recursive: true, force: true }))
    const server = await startServer({ syncInterval: 'always' })
    stop.push(() => server.stop())
    const engine = await EngineProcess.start({ nats: server.url, partitions: 1, dataDir, recordBytes })
    stop.push(() => engine.stop())
    engine.watchStalls()
    const [producer, consumer] = ['producer', 'consumer'].map((name) => {
      const load = new LoadProcess<KirokuLoad>('kirokuLoad', name, [server.url])
      stop.push(() => load.end())
      return load
    }) as [LoadProcess<KirokuLoad>, LoadProcess<KirokuLoad>]
    await producer.ask('create', [queue])
    await consumer.ask('consume', { queues: [queue], batch: 100, concurrency: 32 })
    const samples: Sample[] = []
    const messages = sizes.soak / rounds
    for (let round = 1; round <= rounds; round++) {
      const startMs = performance.now()
      await Promise.all([
        consumer.ask('acknowledged', messages),
        producer.ask('send', { queues: [queue], messages, batch: 100, bodyBytes, window: 64 }),
      ])
      const perSecond = (messages * 1_000) / (performance.now() - startMs)
      const sample = {
        perSecond,
        rssBytes: residentBytes(engine.pid),
        diskBytes: await bytesIn(server.dataDir),
      }
      samples.push(sample)
      progress.step(
        `${(round * messages).toLocaleString('en')} lives: ${Math.round(perSecond).toLocaleString('en')}/s, ` +
          `engine ${mebi(sample.rssBytes)} MiB, disk ${mebi(sample.diskBytes)} MiB`,
      )
    }
    await consumer.ask('stop')
    const { stallMs } = await engine.stall()
    // The first tenth fills caches and the record; from there on nothing may grow.
    const [first, second] = [samples.slice(2, 11), samples.slice(11)]
    const memory = (of: readonly Sample[]): number => median(of.map(({ rssBytes }) => rssBytes))
    // Trimming makes a saw of it, whose peaks say whether it grows.
    const disk = (of: readonly Sample[]): number => Math.max(...of.map(({ diskBytes }) => diskBytes))
    return [
      informs('lives through one queue', sizes.soak, ''),
      informs('lives, median of twenty rounds', median(samples.map(({ perSecond }) => perSecond)), '/s'),
      atMost('memory in the second half, of the first', (memory(second) / memory(first)) * 100, '%', 110),
      informs('most memory of the engine', mebi(Math.max(...samples.map(({ rssBytes }) => rssBytes))), 'MiB'),
      atMost('most disk in the second half, of the first', (disk(second) / disk(first)) * 100, '%', 110),
      atMost('most disk, of the record limit', (disk(samples) / recordBytes) * 100, '%', 125),
      informs("longest stall of the actor's thread in the soak", stallMs, 'ms'),
    ]
  } finally {
    for (const end of stop.reverse()) await end()
  }
}

const mebi = (bytes: number): number => Math.round(bytes / 1024 / 1024)
