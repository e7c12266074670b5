import { logContract } from './contract.ts'
import { createMemoryLog } from './MemoryLog.ts'

logContract('the memory log', async ({ partitions, bytesMax }) => {
  const log = createMemoryLog({ partitions }, { bytesMax: bytesMax ?? 0 })
  return {
    open: async () => log,
    writeStray: async (partition, bytes) => void log.faults.write(partition, bytes),
    appendWithoutAnswer: (_, to, record, expectedLastSeq) => {
      log.faults.onAppend(to.partition, 'answerLost')
      return to.append(record, expectedLastSeq)
    },
    close: () => log.close(),
  }
})
