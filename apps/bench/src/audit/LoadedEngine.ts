import { setTimeout as sleep } from 'node:timers/promises'
import { openLog } from '@kiroku/log-jetstream'
import { connect } from '@kiroku/nats'
import { startServer } from '@kiroku/nats-server'
import { EngineProcess } from '../engine/EngineProcess.ts'
import type { KirokuLoad } from '../load/kirokuLoad.ts'
import { LoadProcess } from '../LoadProcess.ts'
import { reachedIn } from './reachedIn.ts'
import type { ReadEngine } from './Reader.ts'

const queue = 'lives'
const lookMs = 100

/** An engine on its own server, with a producer and a consumer that load it fully. */
export interface LoadedEngine extends ReadEngine {
  /** The engine's process. */
  readonly pid: number
  /** Resolves when `lives` messages were sent, delivered and acknowledged. */
  readonly run: (lives: number) => Promise<unknown>
  /** Records of the log that the auditor has not read. */
  readonly lag: () => Promise<number>
  /** Resolves when there are none. */
  readonly settled: () => Promise<void>
}

/** Starts one, with its auditor or without, with its console or without; what ends it is put on `closers`. */
export const startLoaded = async (
  {
    isAudited,
    hasConsole = false,
    tokens = '',
  }: { readonly isAudited: boolean; readonly hasConsole?: boolean; readonly tokens?: string },
  dataDir: string,
  closers: (() => Promise<unknown>)[],
): Promise<LoadedEngine> => {
  const server = await startServer({})
  closers.push(() => server.stop())
  const engine = await EngineProcess.start({
    nats: server.url,
    partitions: 1,
    dataDir,
    isAudited,
    hasConsole,
    tokens,
  })
  closers.push(() => engine.stop())
  const producer = new LoadProcess<KirokuLoad>('kirokuLoad', 'producer', [server.url])
  const consumer = new LoadProcess<KirokuLoad>('kirokuLoad', 'consumer', [server.url])
  closers.push(
    () => producer.end(),
    () => consumer.end(),
  )
  await producer.ask('create', [queue])
  await consumer.ask('consume', { queues: [queue], batch: 100, concurrency: 32 })
  closers.push(() => consumer.ask('stop'))
  const nats = await connect({ servers: server.url })
  closers.push(() => nats.close())
  const log = await openLog(nats, { name: 'main' })
  const partition = await log.partition(0)
  const lag = async (): Promise<number> =>
    isAudited ? (await partition.state()).lastSeq - reachedIn(dataDir) : 0
  return {
    pid: engine.pid,
    api: engine.api,
    nats: server.url,
    dataDir,
    queue,
    lag,
    run: (messages) =>
      Promise.all([
        consumer.ask('acknowledged', messages),
        producer.ask('send', { queues: [queue], messages, batch: 100, bodyBytes: 128, window: 64 }),
      ]),
    settled: async () => {
      while ((await lag()) > 0) await sleep(lookMs)
    },
  }
}
