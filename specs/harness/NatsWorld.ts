import { createClient, inProcess, type Client } from '@kiroku/client'
import { natsTransport } from '@kiroku/client-nats'
import { liveTime, type CheckpointPolicy } from '@kiroku/engine'
import type { Log } from '@kiroku/log'
import { openLog } from '@kiroku/log-jetstream'
import { connect, serveCommands } from '@kiroku/nats'
import type { StartServerOptions } from '@kiroku/nats-server'
import { startTestNats } from '@kiroku/testkit'
import { Engine } from './Engine.ts'
import { readRecord, type RecordedEvent } from './readRecord.ts'

/** How a world on NATS is made. */
export interface NatsWorldOptions {
  /** A layer between the engine and the log. */
  readonly between?: (log: Log) => Log
  readonly checkpoints?: CheckpointPolicy
  /** How the nats-server is configured; default: as the managed one is. */
  readonly nats?: StartServerOptions
}

/** A client with its own connection. */
export interface RemoteClient {
  readonly client: Client
  /** Cuts the connection, as when the process is gone. */
  cut(): Promise<void>
  /** Breaks the connection; the client makes another. */
  reconnect(): Promise<void>
}

/**
 * Makes a world on NATS with its engine running: a real engine on a log in JetStream of a real nats-server, in
 * real time, and clients inside and outside its process. `await using` ends it and removes what it left.
 */
export const createNatsWorld = async (options: NatsWorldOptions = {}) => {
  await using building = new AsyncDisposableStack()
  const server = await startTestNats(options.nats)
  building.defer(() => server.stop())
  const open = async () => {
    const connection = await connect({ servers: server.url })
    building.defer(() => connection.close())
    return connection
  }
  const nats = await open()
  const log = await openLog(nats, { name: 'main', create: { partitions: 1 }, reader: await open() })
  building.defer(() => log.close())
  const { between = (it: Log) => it, checkpoints } = options
  const engine = new Engine({
    log: between(log),
    time: liveTime,
    ...(checkpoints === undefined ? {} : { checkpoints }),
  })
  await engine.start()
  building.defer(() => engine.stop('drain'))
  const serving = serveCommands(nats, {
    log: log.meta.name,
    partition: 0,
    handle: (commands) => engine.request(0, commands),
    undelivered: (items) => {
      for (const item of items) engine.actor(0).undelivered(item)
    },
  })
  building.defer(() => serving.stop())
  const client = createClient(inProcess(engine), { name: 'local' })
  building.defer(() => client.close())
  const beside = await openLog(await open(), { name: 'main' })
  building.defer(() => beside.close())
  const cleanup = building.move()
  return {
    engine,
    client,
    /** The folder in which the server keeps its streams. */
    dataDir: server.dataDir,
    /** The same log over a connection that the engine does not have. */
    beside,
    /** A client that reaches the engine over NATS. */
    remoteClient: async (name: string): Promise<RemoteClient> => {
      const connection = await connect({ servers: server.url, name })
      cleanup.defer(() => connection.close())
      const client = createClient(natsTransport(connection), { name })
      cleanup.defer(() => client.close())
      return { client, cut: () => connection.close(), reconnect: () => connection.reconnect() }
    },
    /** The current contents of the stream. */
    record: (): Promise<RecordedEvent[]> => readRecord(beside),
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  }
}
