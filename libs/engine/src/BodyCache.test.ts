import { describe, expect, it } from 'vitest'
import { createMemoryLog, encodeRecord, zeroHash } from '@kiroku/log'
import { KirokuError } from '@kiroku/message'
import { alteredLog } from './alteredLog.ts'
import { BodyCache } from './BodyCache.ts'
import { limits } from './limits.ts'

const queue = 1
const mebibyte = 1024 * 1024

/** A record with one body of the queue. */
const recordOf = (bytes: number): Uint8Array =>
  encodeRecord(
    { epoch: 1, at: 1, events: [], sections: [{ queue, bodies: [new Uint8Array(bytes)] }] },
    zeroHash,
  ).bytes

describe('the cache of bodies', () => {
  it('keeps what is under way however much is read meanwhile, since the log does not have it yet', async () => {
    const cache = new BodyCache(await createMemoryLog({ partitions: 1 }).partition(0))
    const underWay = 1_000
    cache.stored(underWay - 1)
    cache.putFrame(underWay, recordOf(10))
    const large = recordOf(mebibyte)
    const records = (2 * limits.bodyCacheBytesMax) / mebibyte
    for (let seq = 1; seq <= records; seq++) cache.putFrame(seq, large)
    expect(cache.peek(1, queue, 0)).toBeUndefined()
    expect(await cache.fetch([underWay], queue, [0])).toHaveLength(1)
    // Once it is stored it goes like all others.
    cache.stored(underWay)
    for (let seq = 1; seq <= records; seq++) cache.putFrame(seq, large)
    expect(cache.peek(underWay, queue, 0)).toBeUndefined()
    expect(cache.bytes).toBeLessThanOrEqual(limits.bodyCacheBytesMax)
  })

  it('has the bodies of the frame that took the place of one which was lost', async () => {
    const cache = new BodyCache(await createMemoryLog({ partitions: 1 }).partition(0))
    cache.putFrame(5, recordOf(10))
    cache.putFrame(5, recordOf(20))
    expect(cache.peek(5, queue, 0)).toHaveLength(20)
  })

  it('reads past a damaged record that nobody asked for', async () => {
    const log = createMemoryLog({ partitions: 1 })
    for (let seq = 1; seq <= 3; seq++) log.faults.write(0, recordOf(10 * seq))
    log.faults.damage(0, 2)
    const cache = new BodyCache(await log.partition(0))
    cache.stored(3)
    expect(await cache.fetch([1, 3], queue, [0, 0])).toMatchObject([{ length: 10 }, { length: 30 }])
    await expect(cache.fetch([2], queue, [0])).rejects.toMatchObject({ id: 'LogDamaged' })
  })

  it('reads again for those who waited for a read that failed', async () => {
    const log = createMemoryLog({ partitions: 1 })
    log.faults.write(0, recordOf(10))
    const part = await log.partition(0)
    let reads = 0
    const failing = alteredLog(log, part, {
      async *read(from, to) {
        if (++reads === 1) throw new KirokuError('NatsUnreachable', 'no answer')
        yield* part.read(from, to)
      },
    })
    const cache = new BodyCache(await failing.partition(0))
    cache.stored(1)
    const fetched = [1, 2].map(() => cache.fetch([1], queue, [0]))
    await expect(fetched[0]).rejects.toMatchObject({ id: 'NatsUnreachable' })
    expect(await fetched[1]).toMatchObject([{ length: 10 }])
  })
})
