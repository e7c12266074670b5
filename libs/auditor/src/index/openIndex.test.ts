import { parseFilter } from '@kiroku/audit'
import type { Log } from '@kiroku/log'
import { encodeEnvelope } from '@kiroku/protocol'
import { temporaryFolder, waitUntil } from '@kiroku/testkit'
import { decodeCheckpoint, startMemoryEngine } from '@kiroku/testkit/engine'
import { expect, it, onTestFinished } from 'vitest'
import { Auditor } from '../Auditor.ts'
import { openIndex, openKeptIndex } from './openIndex.ts'
import { searchIndex } from './searchIndex.ts'

const by = { name: 'ann', origin: 'test' }

/** A message in a log, and a data folder whose auditor has begun and cannot read the log until it is released. */
const auditorBegins = async () => {
  const engine = await startMemoryEngine({ partitions: 1 })
  onTestFinished(() => engine.close())
  const { path: dataDir, remove } = await temporaryFolder()
  onTestFinished(remove)
  await engine.node().request(0, [{ type: 'CreateQueue', queue: 'mail', config: {}, by }])
  const messages = [encodeEnvelope(new TextEncoder().encode('{}'))]
  await engine.node().request(0, [{ type: 'Enqueue', queue: 'mail', producer: 'p', send: 1, messages }])
  const released = Promise.withResolvers<void>()
  const held: Log = {
    ...engine.log,
    meta: engine.log.meta,
    partition: async (n) => {
      await released.promise
      return engine.log.partition(n)
    },
  }
  const auditor = new Auditor({ log: held, dataDir, decodeCheckpoint, onTrouble: () => {} })
  const running = auditor.run()
  onTestFinished(async () => {
    released.resolve()
    await auditor.stop()
    await running
  })
  const audited = { log: engine.log, dataDir, decodeCheckpoint }
  await waitUntil(() => {
    const kept = openKeptIndex(audited)
    kept?.close()
    return kept !== undefined
  })
  const found = async (patienceMs: number, onProgress: () => void = () => {}) => {
    const { database, lags } = await openIndex(audited, onProgress, patienceMs)
    const { incarnation } = engine.log.meta
    const { messages } = searchIndex(database, parseFilter('queue:mail', 0), { incarnation })
    database.close()
    return { messages: messages.length, behind: lags.map(({ behind }) => behind) }
  }
  return { found, release: released.resolve }
}

it('waits until an auditor that has just begun has read what is in the log', async () => {
  const { found, release } = await auditorBegins()
  expect(await found(20_000, release)).toEqual({ messages: 1, behind: [] })
})

it('says what an index lacks whose auditor does not catch up in time', async () => {
  const { found } = await auditorBegins()
  const { messages, behind } = await found(100)
  expect(messages).toBe(0)
  expect(behind).toEqual([expect.any(Number)])
})
