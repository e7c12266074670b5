import type { Log } from '@kiroku/log'
import { openLog } from '@kiroku/log-jetstream'
import { connect } from '@kiroku/nats'
import { startServer } from '@kiroku/nats-server'
import { writeRecord, type RecordShape } from './writeRecord.ts'

/** A record in JetStream of its own server. */
export interface WrittenRecord {
  readonly log: Log
  readonly url: string
  /** Changes of single messages that it holds. */
  readonly changes: number
}

/** Writes a record into one partition of a new log, runs `use`, and removes all of it. */
export const withRecord = async <A>(
  shape: RecordShape,
  use: (record: WrittenRecord) => Promise<A>,
): Promise<A> => {
  const server = await startServer({})
  try {
    const [nats, reader] = await Promise.all([
      connect({ servers: server.url }),
      connect({ servers: server.url }),
    ])
    try {
      const log = await openLog(nats, { name: 'main', create: { partitions: 1 }, reader })
      const partition = await log.partition(0)
      const changes = await writeRecord(partition, shape)
      await partition.close()
      return await use({ log, url: server.url, changes })
    } finally {
      await Promise.all([nats.close(), reader.close()])
    }
  } finally {
    await server.stop()
  }
}
