import {
  createMemoryLog,
  encodeBodyRecord,
  encodeRecord,
  zeroHash,
  type BodySection,
  type MemoryLog,
  type PartitionLog,
} from '@kiroku/log'
import { KirokuError } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { limits } from '../limits.ts'
import { alteredLog } from '../testing/alteredLog.ts'
import { BodyCache } from './BodyCache.ts'
import { BodyMemory } from './BodyMemory.ts'

const queue = 1
const mebibyte = 1024 * 1024

const framed = (...sections: BodySection[]): Uint8Array =>
  encodeRecord({ epoch: 1, at: 1, events: [], sections }, zeroHash).bytes

/** A record with one body of the queue. */
const recordOf = (bytes: number): Uint8Array => framed({ queue, bodies: [new Uint8Array(bytes)] })

/** A partition that notes what is read of it, each time when it may. */
const withReads = async (log: MemoryLog, may: (from: number) => Promise<void> = async () => {}) => {
  const part = await log.partition(0)
  const reads: [from: number, to: number | undefined][] = []
  const noting = alteredLog(log, part, {
    async *read(from, to): ReturnType<PartitionLog['read']> {
      reads.push([from, to])
      await may(from)
      yield* part.read(from, to)
    },
  })
  return { part: await noting.partition(0), reads }
}

describe('the cache of bodies', () => {
  it('keeps what is under way however much is read meanwhile, since the log does not have it yet', async () => {
    const cache = new BodyCache(await createMemoryLog({ partitions: 1 }).partition(0), new BodyMemory())
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

  it('lets small frames go in the order in which they came, and keeps what is under way among them', async () => {
    const cache = new BodyCache(await createMemoryLog({ partitions: 1 }).partition(0), new BodyMemory())
    const small = recordOf(3_000)
    const records = Math.ceil(limits.bodyCacheBytesMax / 3_000)
    const underWay = records + 100
    for (let seq = 1; seq <= 20; seq++) cache.putFrame(seq, small)
    cache.stored(records)
    cache.putFrame(underWay, recordOf(10))
    for (let seq = 21; seq <= records; seq++) cache.putFrame(seq, small)
    const isHere = (seq: number): boolean => cache.peek(seq, queue, 0) !== undefined
    // The first ones share a page with what is under way.
    let seq = 30
    while (!isHere(seq)) seq++
    expect(seq).toBeGreaterThan(30)
    for (; seq <= records; seq++) if (!isHere(seq)) expect.fail(`${seq} went before older ones`)
    expect(cache.peek(underWay, queue, 0)).toHaveLength(10)
    expect(cache.bytes).toBeLessThanOrEqual(limits.bodyCacheBytesMax)
  })

  it.each([10, 10_000])(
    'has the bodies of the frame that took the place of one which was lost, of %i bytes',
    async (bytes) => {
      const cache = new BodyCache(await createMemoryLog({ partitions: 1 }).partition(0), new BodyMemory())
      cache.putFrame(5, recordOf(bytes))
      expect(cache.peek(5, queue, 0)).toHaveLength(bytes)
      for (const length of [20, 20_000]) {
        cache.putFrame(5, recordOf(length))
        expect(cache.peek(5, queue, 0)).toHaveLength(length)
      }
    },
  )

  it('has the room of other partitions of the node, and what was put first goes first, whosever it is', async () => {
    const memory = new BodyMemory(10 * mebibyte)
    const log = createMemoryLog({ partitions: 3 })
    const caches = await Promise.all(
      [0, 1, 2].map(async (partition) => new BodyCache(await log.partition(partition), memory)),
    )
    const [idle, busy, gone] = caches as [BodyCache, BodyCache, BodyCache]
    const large = recordOf(mebibyte)
    const records = Math.floor((10 * mebibyte) / large.length)
    for (const cache of caches) cache.stored(records)
    const put = (cache: BodyCache, from: number, to: number): void => {
      for (let seq = from; seq <= to; seq++) cache.putFrame(seq, large)
    }
    put(gone, 1, 2)
    put(idle, 1, 4)
    put(busy, 1, records - 6)
    expect(gone.peek(1, queue, 0)).toBeDefined()
    // It takes what was put first, by others as well, and never the last of them.
    put(busy, records - 5, records - 3)
    expect(caches.map((cache) => cache.bytes / large.length)).toEqual([2, records - 3, 1])
    expect(idle.peek(2, queue, 0)).toBeUndefined()
    expect(busy.peek(1, queue, 0)).toBeDefined()
    gone.end()
    expect(gone.bytes).toBe(0)
    put(busy, records - 2, records - 2)
    expect(busy.peek(1, queue, 0)).toBeDefined()
    expect(memory.bytes).toBe(idle.bytes + busy.bytes)
  })

  it('reads past a damaged record that nobody asked for', async () => {
    const log = createMemoryLog({ partitions: 1 })
    for (let seq = 1; seq <= 3; seq++) log.faults.write(0, recordOf(10 * seq))
    log.faults.damage(0, 2)
    const cache = new BodyCache(await log.partition(0), new BodyMemory())
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
    const cache = new BodyCache(await failing.partition(0), new BodyMemory())
    cache.stored(1)
    const fetched = [1, 2].map(() => cache.fetch([1], queue, [0]))
    await expect(fetched[0]).rejects.toMatchObject({ id: 'NatsUnreachable' })
    expect(await fetched[1]).toMatchObject([{ length: 10 }])
  })

  it('answers each body from its own record, queue and place, of what was read ahead as well', async () => {
    const log = createMemoryLog({ partitions: 1 })
    for (let seq = 1; seq <= 3; seq++)
      log.faults.write(
        0,
        framed(
          { queue: 7, bodies: [Uint8Array.of(seq, 7, 0), Uint8Array.of(seq, 7, 1)] },
          { queue, bodies: [Uint8Array.of(seq, queue, 0), Uint8Array.of(seq, queue, 1)] },
        ),
      )
    const cache = new BodyCache(await log.partition(0), new BodyMemory())
    cache.stored(3)
    for (const of of [queue, 7]) {
      const bodies = await cache.fetch([1, 1, 2, 2, 3, 3], of, [0, 1, 0, 1, 0, 1])
      expect(bodies.map((body) => [...body])).toEqual(
        [1, 2, 3].flatMap((seq) => [
          [seq, of, 0],
          [seq, of, 1],
        ]),
      )
    }
    await expect(cache.fetch([2], queue, [2])).rejects.toMatchObject({ id: 'LogDamaged' })
    await expect(cache.fetch([2], 8, [0])).rejects.toMatchObject({ id: 'LogDamaged' })
  })

  it('has nothing in the place of a record that is gone', async () => {
    const log = createMemoryLog({ partitions: 1 })
    for (let seq = 1; seq <= 3; seq++) log.faults.write(0, recordOf(10 * seq))
    log.faults.loseRecord(0, 2)
    const cache = new BodyCache(await log.partition(0), new BodyMemory())
    cache.stored(3)
    await expect(cache.fetch([2], queue, [0])).rejects.toMatchObject({ id: 'LogDamaged' })
    expect(await cache.fetch([3], queue, [0])).toMatchObject([{ length: 30 }])
  })

  it('takes a large body from the record that its frame names, and no other', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const bodies = [Uint8Array.of(1), Uint8Array.of(2)]
    for (const body of bodies) log.faults.write(0, encodeBodyRecord({ epoch: 1, body }, zeroHash).bytes)
    const named = [2, 1].map((seq) => ({ seq, bytes: 1 }))
    log.faults.write(0, framed({ queue, bodies: named }))
    log.faults.write(0, recordOf(10))
    const cache = new BodyCache(await log.partition(0), new BodyMemory())
    cache.stored(4)
    const fetched = await cache.fetch([3, 3], queue, [0, 1])
    expect(fetched.map((body) => [...body])).toEqual([[2], [1]])
    log.faults.write(0, framed({ queue, bodies: [{ ...named[0]!, seq: 4 }] }))
    cache.stored(5)
    await expect(cache.fetch([5], queue, [0])).rejects.toMatchObject({ id: 'LogDamaged' })
  })

  it('reads ahead to the last record that is known to be stored, or to what it has', async () => {
    const log = createMemoryLog({ partitions: 1 })
    for (let seq = 1; seq <= 6; seq++) log.faults.write(0, recordOf(seq))
    const { part, reads } = await withReads(log)
    const cache = new BodyCache(part, new BodyMemory())
    cache.stored(5)
    cache.putFrame(3, recordOf(3))
    await cache.fetch([1], queue, [0])
    await cache.fetch([4], queue, [0])
    expect(reads).toEqual([
      [1, 2],
      [4, 5],
    ])
    expect(cache.peek(6, queue, 0)).toBeUndefined()
  })

  it('reads ahead no further than its limit of bytes', async () => {
    const log = createMemoryLog({ partitions: 1 }, { recordBytesMax: 2 * mebibyte })
    const large = recordOf(mebibyte)
    const enough = limits.readAheadBytesMax / mebibyte
    for (let seq = 1; seq <= 2 * enough; seq++) log.faults.write(0, large)
    const cache = new BodyCache(await log.partition(0), new BodyMemory())
    cache.stored(2 * enough)
    await cache.fetch([1], queue, [0])
    expect(cache.peek(enough - 1, queue, 0)).toBeDefined()
    expect(cache.peek(enough + 1, queue, 0)).toBeUndefined()
    expect(cache.bytes).toBeLessThanOrEqual(limits.readAheadBytesMax + large.length)
  })

  it('reads once for all who want the same stretch, while others do not wait for it', async () => {
    const log = createMemoryLog({ partitions: 1 })
    const far = limits.readAheadRecords + 1
    for (let seq = 1; seq <= far; seq++) log.faults.write(0, recordOf(seq))
    let letGo = (): void => {}
    const isFree = new Promise<void>((resolve) => (letGo = resolve))
    const { part, reads } = await withReads(log, (from) => (from === 1 ? isFree : Promise.resolve()))
    const cache = new BodyCache(part, new BodyMemory())
    cache.stored(far)
    const waiting = [1, 2, far - 1].map((seq) => cache.fetch([seq], queue, [0]))
    expect(await cache.fetch([far], queue, [0])).toMatchObject([{ length: far }])
    letGo()
    expect((await Promise.all(waiting)).flat()).toMatchObject([
      { length: 1 },
      { length: 2 },
      { length: far - 1 },
    ])
    expect(reads).toEqual([
      [1, far - 1],
      [far, far],
    ])
  })

  it('answers what it was asked for although much else comes while the rest is read ahead', async () => {
    const log = createMemoryLog({ partitions: 1 })
    for (let seq = 1; seq <= 2; seq++) log.faults.write(0, recordOf(seq))
    const part = await log.partition(0)
    const large = recordOf(mebibyte)
    const records = (2 * limits.bodyCacheBytesMax) / mebibyte
    const flooded = alteredLog(log, part, {
      async *read(from, to) {
        for await (const record of part.read(from, to)) {
          yield record
          for (let i = 0; i < records; i++) cache.putFrame(10 + i, large)
        }
      },
    })
    const cache = new BodyCache(await flooded.partition(0), new BodyMemory())
    cache.stored(10 + records)
    expect(await cache.fetch([1], queue, [0])).toMatchObject([{ length: 1 }])
  })
})
