import type { Log } from '@kiroku/log'
import { connect, type NatsOptions } from '@kiroku/nats'
import type { Nats } from '../serve/describeCluster.ts'
import { openLog } from './logAdapter.ts'

/** An open log with connections of its own. */
export interface ReadLog {
  readonly nats: Nats
  readonly log: Log
  readonly close: () => Promise<void>
}

/** Opens a log that is there, to read it or to repair it. Errors: those of `connect` and `openLog`. */
export const openToRead = async (target: NatsOptions, name: string): Promise<ReadLog> => {
  const [nats, reader] = await Promise.all([connect(target), connect(target)])
  const disconnect = () => Promise.all([nats.close(), reader.close()])
  try {
    const log = await openLog(nats, { name, reader })
    return { nats, log, close: () => log.close().finally(disconnect) }
  } catch (error) {
    await disconnect()
    throw error
  }
}
