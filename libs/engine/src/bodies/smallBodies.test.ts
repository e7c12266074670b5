import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createMemoryLog, encodeRecord, zeroHash } from '@kiroku/log'
import { expect, it } from 'vitest'
import { BodyCache } from './BodyCache.ts'
import { BodyMemory } from './BodyMemory.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

it('bodies that came one by one take hardly more memory than their bytes', async () => {
  const cache = new BodyCache(await createMemoryLog({ partitions: 1 }).partition(0), new BodyMemory())
  const body = new Uint8Array(100)
  const record = (): Uint8Array =>
    encodeRecord({ epoch: 1, at: 1, events: [], sections: [{ queue: 1, bodies: [body] }] }, zeroHash).bytes
  const used = (): number => {
    collect()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  const put = (from: number, to: number): void => {
    for (let seq = from; seq <= to; seq++) {
      cache.putFrame(seq, record())
      cache.stored(seq)
      expect(cache.peek(seq, 1, 0)).toHaveLength(body.length)
    }
  }
  put(1, 10_000)
  const before = used()
  put(10_001, 60_000)
  expect((used() - before) / 50_000).toBeLessThan(2 * body.length)
})
