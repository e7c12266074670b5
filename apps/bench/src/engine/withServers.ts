import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '@kiroku/nats-server'
import { atMost, type Figure, informs } from '../Figure.ts'
import { LoadProcess } from '../LoadProcess.ts'
import type { Progress } from '../Progress.ts'
import type { HttpLoad } from '../load/httpLoad.ts'
import type { KirokuLoad } from '../load/kirokuLoad.ts'
import type { RawLoad } from '../load/rawLoad.ts'
import type { Bench } from './Bench.ts'
import { EngineProcess } from './EngineProcess.ts'
import type { Sizes } from './sizes.ts'

/** What engine the load is put on. */
export interface ServersOptions {
  readonly partitions: number
  /** Folder for CPU profiles of all processes. */
  readonly profile: string | undefined
}

/** Runs parts of the bench over a server, an engine and processes of their own. */
export const withServers = async (
  { partitions, profile }: ServersOptions,
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
    engine.watchStalls()
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
