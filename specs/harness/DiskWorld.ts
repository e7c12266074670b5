import { join } from 'node:path'
import { createClient, inProcess, type Client } from '@kiroku/client'
import { liveTime, noteFilesIn, readTailNotes, TailNotes } from '@kiroku/engine'
import type { Log } from '@kiroku/log'
import { openLog } from '@kiroku/log-jetstream'
import { connect } from '@kiroku/nats'
import type { Server } from '@kiroku/nats-server'
import { partitionOf } from '@kiroku/protocol'
import { startTestNats } from '@kiroku/testkit'
import { Engine } from './Engine.ts'

/** A server on a store folder that outlives it, and an engine on the log in it. */
export interface DiskWorld extends AsyncDisposable {
  readonly server: Server
  readonly log: Log
  readonly engine: Engine
  readonly client: Client
  /** What the engines of this folder noted of the log's ends. */
  tails(): ReturnType<typeof readTailNotes>
}

/** How a world on a disk is made. */
export interface DiskOptions {
  /** Where the server stores. */
  readonly storeDir: string
  /** Where the engine notes what it saw: as in life, not with the server's data. */
  readonly notesDir: string
  readonly partitions: number
  readonly syncInterval?: string
  readonly checkpointBytes?: number
}

/**
 * Starts a server on the folder, and opens the log; `engine.start()` takes it over. `await using` ends both
 * and leaves the folder.
 */
export const startOnDisk = async (options: DiskOptions): Promise<DiskWorld> => {
  const { storeDir, notesDir, partitions, syncInterval = 'always', checkpointBytes = 6_000_000 } = options
  await using building = new AsyncDisposableStack()
  const server = await startTestNats({ dataDir: storeDir, syncInterval })
  building.defer(() => server.stop())
  const open = async () => {
    const connection = await connect({ servers: server.url })
    building.defer(() => connection.close())
    return connection
  }
  const nats = await open()
  const log = await openLog(nats, { name: 'main', create: { partitions }, reader: await open() })
  building.defer(() => log.close())
  const { incarnation, name } = log.meta
  const engine = new Engine({
    log,
    time: liveTime,
    checkpoints: { bytesMin: checkpointBytes, ageMs: 1e9 },
    tailNotes: new TailNotes(noteFilesIn(join(notesDir, 'tails')), incarnation, name),
  })
  building.defer(() => engine.stop('drain'))
  const client = createClient(inProcess(engine), { name: 'local' })
  building.defer(() => client.close())
  const cleanup = building.move()
  return {
    server,
    log,
    engine,
    client,
    tails: () => readTailNotes(join(notesDir, 'tails')).filter((note) => note.incarnation === incarnation),
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  }
}

/** A queue name for each of this many partitions. */
export const queuePerPartition = (partitions: number): string[] =>
  Array.from({ length: partitions }, (_, partition) => {
    for (let i = 0; ; i++) if (partitionOf(`queue-${i}`, partitions) === partition) return `queue-${i}`
  })
