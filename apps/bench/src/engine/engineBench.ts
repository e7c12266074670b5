import { startServer } from '@kiroku/nats-server'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atMost, informs, type Figure } from '../Figure.ts'
import { LoadProcess } from '../LoadProcess.ts'
import { Progress } from '../Progress.ts'
import type { KirokuLoad } from '../load/kirokuLoad.ts'
import type { HttpLoad } from '../load/httpLoad.ts'
import type { RawLoad } from '../load/rawLoad.ts'
import { compareLives } from './compareLives.ts'
import { compareQueues } from './compareQueues.ts'
import { compareSends } from './compareSends.ts'
import { EngineProcess } from './EngineProcess.ts'
import { holdMany } from './holdMany.ts'
import { measureCore } from './measureCore.ts'
import { measureHttp } from './measureHttp.ts'
import { measureStates } from './measureStates.ts'
import { soak } from './soak.ts'
import { fullSizes, quickSizes, type Sizes } from './sizes.ts'

/** How the engine is measured. */
export interface EngineBenchOptions {
  readonly quick: boolean
  readonly partitions: number
  /** Folder for CPU profiles of all processes. */
  readonly profile: string | undefined
  /** Parts to run; all of them when empty. */
  readonly only: readonly string[]
}

/** The processes that bear the load, over one server. */
export interface Bench {
  readonly sizes: Sizes
  readonly progress: Progress
  readonly producer: LoadProcess<KirokuLoad>
  readonly consumer: LoadProcess<KirokuLoad>
  readonly http: LoadProcess<HttpLoad>
  readonly rawProducer: LoadProcess<RawLoad>
  readonly rawConsumer: LoadProcess<RawLoad>
}

/** The parts that need servers, in the order in which they run. */
const parts: Readonly<Record<string, (bench: Bench) => Promise<Figure[]>>> = {
  lives: compareLives,
  sends: compareSends,
  http: measureHttp,
  queues: compareQueues,
  hold: holdMany,
}

/** Measures the engine beside raw JetStream: every process for itself, the same server for both. */
export const engineBench = async (options: EngineBenchOptions): Promise<Figure[]> => {
  const sizes = options.quick ? quickSizes : fullSizes
  const chosen = (part: string): boolean => options.only.length === 0 || options.only.includes(part)
  const progress = new Progress()
  const figures: Figure[] = []
  try {
    if (chosen('core')) figures.push(...(await measureCore(sizes, progress)))
    if (chosen('states')) figures.push(...(await measureStates(progress)))
    const wanted = Object.entries(parts).filter(([part]) => chosen(part))
    if (wanted.length > 0)
      figures.push(
        ...(await withServers(
          options,
          sizes,
          progress,
          wanted.map(([, run]) => run),
        )),
      )
    // Takes minutes, and says nothing that changes from day to day: only where it is asked for.
    if (options.only.includes('soak')) figures.push(...(await soak(sizes, progress)))
    return figures
  } finally {
    progress.end()
  }
}

const withServers = async (
  { partitions, profile }: EngineBenchOptions,
  sizes: Sizes,
  progress: Progress,
  run: readonly ((bench: Bench) => Promise<Figure[]>)[],
): Promise<Figure[]> => {
  progress.step('starting nats-server and engine')
  const stop: (() => Promise<void>)[] = []
  try {
    const dataDir = await mkdtemp(join(tmpdir(), 'kiroku-bench-'))
    stop.push(() => rm(dataDir, { recursive: true, force: true }))
    const server = await startServer({ syncInterval: 'always' })
    stop.push(() => server.stop())
    const engine = await EngineProcess.start({ nats: server.url, partitions, dataDir, profile })
    stop.push(() => engine.stop())
    const load = <T extends KirokuLoad | HttpLoad | RawLoad>(
      module: string,
      name: string,
      address = server.url,
    ): LoadProcess<T> => {
      const process = new LoadProcess<T>(module, name, [address], { profile })
      stop.push(() => process.end())
      return process
    }
    const bench: Bench = {
      sizes,
      progress,
      producer: load<KirokuLoad>('kirokuLoad', 'producer'),
      consumer: load<KirokuLoad>('kirokuLoad', 'consumer'),
      http: load<HttpLoad>('httpLoad', 'http', engine.api),
      rawProducer: load<RawLoad>('rawLoad', 'raw-producer'),
      rawConsumer: load<RawLoad>('rawLoad', 'raw-consumer'),
    }
    await bench.rawProducer.ask('create')
    const figures: Figure[] = []
    for (const part of run) figures.push(...(await part(bench)))
    const { stallMs, busyMs } = await engine.stall()
    figures.push(
      atMost("longest stall of the actor's thread", stallMs, 'ms', 100),
      informs("longest work of the actor's thread between events", busyMs, 'ms'),
      informs('partitions', partitions, ''),
    )
    return figures
  } finally {
    for (const end of stop.reverse()) await end()
  }
}
