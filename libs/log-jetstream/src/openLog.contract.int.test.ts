import { logContract } from '@kiroku/log/contract'
import type { Log } from '@kiroku/log'
import { connect } from '@kiroku/nats'
import { withNats } from '@kiroku/testkit'
import type { NatsConnection } from '@nats-io/nats-core'
import { subjectName } from './names.ts'
import { openLog } from './openLog.ts'

const nats = withNats()
let logs = 0

logContract('the log over JetStream', async ({ partitions, bytesMax }) => {
  const name = `contract${++logs}`
  const connections: NatsConnection[] = []
  const writers = new Map<Log, NatsConnection>()
  const dial = async () => {
    const nc = await connect({ servers: nats().url })
    connections.push(nc)
    return nc
  }
  return {
    open: async () => {
      const writer = await dial()
      const log = await openLog(writer, {
        name,
        create: { partitions, ...(bytesMax === undefined ? {} : { bytesMax }) },
        reader: await dial(),
      })
      writers.set(log, writer)
      return log
    },
    writeStray: async (partition, bytes) => {
      const nc = await dial()
      await nc.request(subjectName(name, partition), bytes)
    },
    appendWithoutAnswer: async (log, to, record, expectedLastSeq) => {
      const appended = to.append(record, expectedLastSeq)
      appended.catch(() => {})
      await writers.get(log)!.reconnect()
      return appended
    },
    close: async () => {
      await Promise.all(connections.map((nc) => nc.close()))
    },
  }
})
