import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseFilter } from '@kiroku/audit'
import { isKirokuError } from '@kiroku/protocol'
import { temporaryFolder, waitUntil } from '@kiroku/testkit'
import { decodeCheckpoint, startMemoryEngine } from '@kiroku/testkit/engine'
import { expect, it, onTestFinished } from 'vitest'
import { Auditor } from './Auditor.ts'
import { auditFolder } from './auditFolder.ts'

const pageBytes = 4_096
const by = { name: 'ann', origin: 'test' }

const garbageFrom = (file: string, share: number): void => {
  const bytes = readFileSync(file)
  const from = Math.floor((bytes.length / pageBytes) * share) * pageBytes
  for (let at = from; at < bytes.length; at++) bytes[at] = (at * 31) & 0xff
  writeFileSync(file, bytes)
}

const damages: Readonly<Record<string, (file: string) => void>> = {
  'all behind its beginning': (file) => garbageFrom(file, 0.1),
  'its second half': (file) => garbageFrom(file, 0.5),
  'its last pages': (file) => garbageFrom(file, 0.8),
  'half of its pages': (file) =>
    truncateSync(file, Math.floor(statSync(file).size / pageBytes / 2) * pageBytes),
  'its header': (file) => writeFileSync(file, readFileSync(file).fill(7, 0, 100)),
}

it.each(Object.keys(damages))('an index that lost %s is built again', async (what) => {
  const engine = await startMemoryEngine({ partitions: 1 })
  onTestFinished(() => engine.close())
  const folder = await temporaryFolder()
  onTestFinished(() => folder.remove())
  const messages = Array.from({ length: 300 }, () => new Uint8Array(50))
  await engine.node().request(0, [
    { type: 'CreateQueue', queue: 'mail', config: {}, by },
    { type: 'Enqueue', queue: 'mail', producer: 'p', send: 1, messages },
  ])
  const { log } = engine
  /** What an auditor finds before it ends, as one that its guard starts again whenever it has ended. */
  const found = async (): Promise<number> => {
    const auditor = new Auditor({ log, dataDir: folder.path, decodeCheckpoint, onTrouble: () => {} })
    const running = auditor.run().catch((error: unknown) => {
      if (!isKirokuError(error)) throw error
    })
    const filter = parseFilter('queue:mail state:available', 0)
    try {
      return (await auditor.ask('search', { filter, limit: 500 }, { principal: 'ann' })).messages.length
    } catch (error) {
      expect(error).toMatchObject({ id: 'NoAuditor' })
      return 0
    } finally {
      await auditor.stop().catch(() => {})
      await running
    }
  }
  await waitUntil(async () => (await found()) === 300)
  damages[what]!(path.join(auditFolder(folder.path, log.meta.incarnation), 'index.sqlite'))
  await waitUntil(async () => (await found()) === 300)
})
