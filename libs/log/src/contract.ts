import { isKirokuError } from '@kiroku/protocol'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { encodeRecord } from './FrameCodec.ts'
import type { Log, LogRecord, PartitionLog } from './Log.ts'
import { zeroHash } from './RecordLayout.ts'

/** How to create the log of one test. */
export interface LogUnderTestOptions {
  readonly partitions: number
  /** Limit of each partition in bytes. */
  readonly bytesMax?: number
}

/** One log, as the contract needs it. */
export interface LogUnderTest {
  /** Opens the log again, on its own connection: as another node does, or the same one later. */
  open(): Promise<Log>
  /** Publishes to the partition's log without any expectation, as a stray client does. */
  writeStray(partition: number, bytes: Uint8Array): Promise<void>
  /** Appends through `log`, and loses the answer if that can be done. */
  appendWithoutAnswer(
    log: Log,
    to: PartitionLog,
    record: Uint8Array,
    expectedLastSeq: number,
  ): Promise<number>
  close(): Promise<void>
}

const failure = (id: string) => expect.objectContaining({ id })

/** A valid record of at least `bytes` bytes; `n` tells it from others. */
const ours = (n: number, bytes = 0): Uint8Array => {
  const bodies = [new Uint8Array(bytes).fill(n)]
  return encodeRecord({ epoch: 1, at: n, events: [], sections: [{ queue: 1, bodies }] }, zeroHash).bytes
}

const collect = async (records: AsyncIterable<LogRecord>): Promise<LogRecord[]> => {
  const all: LogRecord[] = []
  for await (const record of records) all.push(record)
  return all
}

/** Expects the log to return the bytes that went in, at their sequences. */
const expectRecords = (records: LogRecord[], expected: readonly (readonly [number, Uint8Array])[]) => {
  expect(records.map((r) => r.seq)).toEqual(expected.map(([seq]) => seq))
  records.forEach((r, i) => expect(Buffer.compare(r.data, expected[i]![1])).toBe(0))
}

/** The suite that every implementation of the log must pass. */
export const logContract = (
  name: string,
  makeLog: (options: LogUnderTestOptions) => Promise<LogUnderTest>,
): void => {
  describe(`${name} keeps the contract of the log:`, () => {
    let made: LogUnderTest
    let log: Log
    let p: PartitionLog
    /** The same partition, opened by another node. */
    let other: PartitionLog

    const make = async (options: Partial<LogUnderTestOptions> = {}) => {
      made = await makeLog({ partitions: 2, ...options })
      log = await made.open()
      p = await log.partition(0)
      other = await (await made.open()).partition(0)
    }
    /** Appends to a store that may be slow: without an answer in time, the record is stored, or sent again; at most one copy is stored. */
    const append = async (record: Uint8Array, expectedLastSeq: number): Promise<number> => {
      for (let unanswered = false; ; unanswered = true) {
        const stored = await p.append(record, expectedLastSeq).catch((e: unknown) => {
          const isOpen = isKirokuError(e) && (e.id === 'LogAmbiguous' || (unanswered && e.id === 'Fenced'))
          if (!isOpen) throw e
        })
        if (stored !== undefined) return stored
        const { lastSeq } = await p.state()
        if (lastSeq > expectedLastSeq) return lastSeq
      }
    }
    const fill = async (count: number, from = 0) => {
      for (let i = from; i < from + count; i++) await append(ours(i + 1), i)
    }
    afterEach(() => made.close())

    describe('a log without a limit', () => {
      beforeEach(() => make())

      test('it is empty at first', async () => {
        expect(await p.state()).toMatchObject({ firstSeq: 1, lastSeq: 0, bytesMax: 0 })
        expect(await collect(p.read(1))).toEqual([])
        expect(await p.get(1)).toBeUndefined()
      })

      test('records come back in order, unchanged, with the time of the store', async () => {
        await fill(3)
        const records = await collect(p.read(1))
        expectRecords(records, [
          [1, ours(1)],
          [2, ours(2)],
          [3, ours(3)],
        ])
        expect(Math.abs(records[0]!.timeMs - Date.now())).toBeLessThan(60_000)
        expect(records[2]!.timeMs).toBeGreaterThanOrEqual(records[0]!.timeMs)
        expect(await p.state()).toMatchObject({ firstSeq: 1, lastSeq: 3 })
        expect((await p.state()).bytes).toBeGreaterThan(0)
      })

      test('a listener hears how far a partition goes, until it stops listening', async () => {
        const heard: number[] = []
        const hears = (seq: number) =>
          new Promise<void>((resolve) => {
            const stop = other.onStored((lastSeq) => {
              heard.push(lastSeq)
              if (lastSeq < seq) return
              stop()
              resolve()
            })
          })
        const second = hears(2)
        // A subscription is heard of by the server before its next answer.
        await other.state()
        await fill(2)
        await second
        await append(ours(3), 2)
        const third = hears(3)
        await other.state()
        await p.fence([ours(4)], 3)
        await third
        expect(heard.filter((seq) => seq > 2).length).toBe(1)
      })

      test('partitions do not see each other', async () => {
        await fill(2)
        const second = await log.partition(1)
        expect(await second.append(ours(9), 0)).toBe(1)
        expectRecords(await collect(second.read(1)), [[1, ours(9)]])
      })

      test('four appends in flight are stored in order', async () => {
        const inFlight: Promise<number>[] = []
        const answers: number[] = []
        for (let i = 0; i < 200; i++) {
          if (inFlight.length === 4) answers.push(await inFlight.shift()!)
          inFlight.push(p.append(ours(i % 200), i))
        }
        answers.push(...(await Promise.all(inFlight)))
        expect(answers).toEqual(Array.from({ length: 200 }, (_, i) => i + 1))
        expect((await collect(p.read(1))).map((r) => r.seq)).toEqual(answers)
      })

      test('an append that expects another last sequence is fenced and changes nothing', async () => {
        await fill(2)
        await expect(p.append(ours(7), 1)).rejects.toEqual(failure('Fenced'))
        await expect(p.append(ours(7), 5)).rejects.toEqual(failure('Fenced'))
        expect((await p.state()).lastSeq).toBe(2)
        expect(await p.append(ours(3), 2)).toBe(3)
      })

      test('of appends in flight after a wrong one, none is stored', async () => {
        await fill(2)
        const results = await Promise.allSettled([1, 2, 3, 4].map((e) => p.append(ours(7), e + 4)))
        expect(results.map((r) => r.status)).toEqual(Array(4).fill('rejected'))
        expect((await p.state()).lastSeq).toBe(2)
      })

      test('a fence stores all its records and answers with the last sequence and the time of the store', async () => {
        await fill(1)
        const fenced = await p.fence([ours(11), ours(12), ours(13)], 1)
        expect(fenced.seq).toBe(4)
        const records = await collect(p.read(1))
        expectRecords(records, [
          [1, ours(1)],
          [2, ours(11)],
          [3, ours(12)],
          [4, ours(13)],
        ])
        expect(fenced.timeMs).toBe(records[3]!.timeMs)
      })

      test('a fence with one record works as one with several', async () => {
        expect((await p.fence([ours(1)], 0)).seq).toBe(1)
        expect(await p.append(ours(2), 1)).toBe(2)
      })

      test('a fence that expects another last sequence stores none of its records', async () => {
        await fill(3)
        for (const expected of [2, 4])
          await expect(p.fence([ours(11), ours(12)], expected)).rejects.toEqual(failure('Fenced'))
        expect((await p.state()).lastSeq).toBe(3)
        expect((await p.fence([ours(11), ours(12)], 3)).seq).toBe(5)
      })

      test('everything an old owner has in flight fails after the fence of a new one', async () => {
        await fill(1)
        await other.fence(
          [1, 2, 3, 4].map((n) => ours(n + 10)),
          1,
        )
        const late = await Promise.allSettled([1, 2, 3, 4].map((expected) => p.append(ours(99), expected)))
        expect(late).toMatchObject(Array(4).fill({ status: 'rejected', reason: { id: 'Fenced' } }))
        expect((await other.state()).lastSeq).toBe(5)
      })

      test('when an old owner and a fence race, what is answered is what is stored', async () => {
        await fill(1)
        let base = 1
        for (let round = 0; round < 20; round++) {
          const appends = [0, 1, 2, 3].map((i) => p.append(ours(50 + i), base + i))
          const fence = other.fence(
            [1, 2, 3, 4].map((n) => ours(n + 10)),
            base + (round % 3),
          )
          const [fenced, ...results] = await Promise.allSettled([fence, ...appends])
          const stored = results.filter((r) => r.status === 'fulfilled').map((r) => r.value)
          expect(stored).toEqual(stored.map((_, i) => base + 1 + i))
          const { lastSeq } = await p.state()
          expect(lastSeq).toBe(base + stored.length + (fenced.status === 'fulfilled' ? 4 : 0))
          if (fenced.status === 'fulfilled') expect(fenced.value.seq).toBe(lastSeq)
          base = lastSeq
        }
      })

      test('two owners who fence at once do not both succeed', async () => {
        const both = await Promise.allSettled([
          p.fence([ours(1), ours(2)], 0),
          other.fence([ours(3), ours(4)], 0),
        ])
        expect(both.filter((r) => r.status === 'fulfilled')).toHaveLength(1)
        expect((await p.state()).lastSeq).toBe(2)
      })

      test('after an append without an answer, a fence and a read show what is stored', async () => {
        await fill(2)
        const unanswered = await made.appendWithoutAnswer(log, p, ours(3), 2).catch((e: unknown) => e)
        if (unanswered !== 3)
          expect(isKirokuError(unanswered) && unanswered.id).toMatch(/^(LogAmbiguous|NatsUnreachable)$/)
        const { lastSeq } = await other.state()
        const fenced = await other.fence([ours(11), ours(12)], lastSeq).catch((e: unknown) => e)
        if (isKirokuError(fenced)) await other.fence([ours(11), ours(12)], lastSeq + 1)
        const records = await collect(other.read(1))
        const stored = records.length - 4 === 1
        if (unanswered === 3) expect(stored).toBe(true)
        expectRecords(records, [
          [1, ours(1)],
          [2, ours(2)],
          ...(stored ? [[3, ours(3)] as const] : []),
          [records.length - 1, ours(11)],
          [records.length, ours(12)],
        ])
      })

      test('any range can be read', async () => {
        await fill(10)
        expect((await collect(p.read(4, 6))).map((r) => r.seq)).toEqual([4, 5, 6])
        expect((await collect(p.read(9, 100))).map((r) => r.seq)).toEqual([9, 10])
        expect(await collect(p.read(11))).toEqual([])
        expect((await collect(p.read(0, 1))).map((r) => r.seq)).toEqual([1])
      })

      test('a reader may stop in the middle, and another may start', async () => {
        await fill(10)
        for (let round = 0; round < 3; round++)
          for await (const record of p.read(2)) if (record.seq === 5) break
        expect((await collect(p.read(1))).length).toBe(10)
      })

      test('a read sees everything that was answered before it', async () => {
        for (let i = 0; i < 20; i++) {
          await append(ours(i), i)
          expect((await collect(other.read(i + 1))).map((r) => r.seq)).toEqual([i + 1])
        }
      })

      test('large records can be read together and one by one', async () => {
        const bytes = 600_000
        for (let i = 0; i < 12; i++) await append(ours(i + 1, bytes), i)
        expectRecords(
          await collect(p.read(1)),
          Array.from({ length: 12 }, (_, i) => [i + 1, ours(i + 1, bytes)] as const),
        )
        const got = await Promise.all(Array.from({ length: 12 }, (_, i) => p.get(i + 1)))
        got.forEach((r, i) => expect(Buffer.compare(r!.data, ours(i + 1, bytes))).toBe(0))
      })

      test('a record larger than the store takes is refused and harms nothing', async () => {
        await expect(p.append(new Uint8Array(p.recordBytesMax + 1), 0)).rejects.toEqual(
          failure('RecordTooLarge'),
        )
        expect(await append(ours(1, p.recordBytesMax - 1000), 0)).toBe(1)
        expect((await collect(p.read(1)))[0]!.data.length).toBeGreaterThan(p.recordBytesMax - 1000)
      })

      test('a trimmed prefix is gone, and appends continue', async () => {
        await fill(5)
        await p.trim(3)
        expect(await p.state()).toMatchObject({ holes: 0 })
        expect(await p.holes()).toEqual([])
        expect(await p.state()).toMatchObject({ firstSeq: 4, lastSeq: 5 })
        expect((await collect(p.read(1))).map((r) => r.seq)).toEqual([4, 5])
        expect(await p.get(3)).toBeUndefined()
        expect(await append(ours(6), 5)).toBe(6)
        await p.trim(2)
        await p.trim(-1)
        expect(await p.state()).toMatchObject({ firstSeq: 4, lastSeq: 6 })
        await p.trim(100)
        expect(await p.state()).toMatchObject({ firstSeq: 7, lastSeq: 6 })
      })

      test('a log that was emptied keeps counting', async () => {
        await fill(5)
        await p.trim(5)
        expect(await p.state()).toMatchObject({ firstSeq: 6, lastSeq: 5 })
        expect(await collect(p.read(1))).toEqual([])
        await expect(p.append(ours(1), 0)).rejects.toEqual(failure('Fenced'))
        expect((await p.fence([ours(6), ours(7)], 5)).seq).toBe(7)
        expect(await append(ours(8), 7)).toBe(8)
      })

      test('a stray record is marked as foreign and takes a sequence', async () => {
        await fill(1)
        await made.writeStray(0, new TextEncoder().encode('stray'))
        await expect(p.append(ours(2), 1)).rejects.toEqual(failure('Fenced'))
        await append(ours(3), 2)
        expect((await collect(p.read(1))).map((r) => r.foreign)).toEqual([false, true, false])
        expect((await p.get(2))!.foreign).toBe(true)
      })

      test('opening it again opens the same log', async () => {
        await fill(3)
        await p.checkpoints.put(2, ours(2))
        await log.close()
        const again = await made.open()
        expect(again.meta).toEqual(log.meta)
        const reopened = await again.partition(0)
        expect((await collect(reopened.read(1))).map((r) => r.seq)).toEqual([1, 2, 3])
        expect(await reopened.checkpoints.list()).toEqual([2])
        expect(await reopened.append(ours(4), 3)).toBe(4)
      })

      test('a partition that the log does not have is refused', async () => {
        await expect(log.partition(2)).rejects.toEqual(failure('InvalidArgument'))
      })

      test('checkpoints are kept by sequence, per partition', async () => {
        const { checkpoints } = p
        expect(await checkpoints.list()).toEqual([])
        expect(await checkpoints.get(5)).toBeUndefined()
        await checkpoints.put(5, ours(5))
        await checkpoints.put(12, ours(12, 300_000))
        await checkpoints.put(9, ours(9))
        expect(await other.checkpoints.list()).toEqual([12, 9, 5])
        expect(Buffer.compare((await other.checkpoints.get(12))!, ours(12, 300_000))).toBe(0)
        expect(await other.checkpoints.size(12)).toBe(ours(12, 300_000).length)
        expect(await (await log.partition(1)).checkpoints.list()).toEqual([])
        await checkpoints.delete(9)
        await checkpoints.delete(9)
        expect(await checkpoints.list()).toEqual([12, 5])
        expect(await checkpoints.get(9)).toBeUndefined()
        expect(await checkpoints.size(9)).toBeUndefined()
      })

      test('a checkpoint never changes', async () => {
        await p.checkpoints.put(5, ours(5))
        await p.checkpoints.put(5, ours(5))
        await expect(p.checkpoints.put(5, ours(6))).rejects.toEqual(failure('Internal'))
        expect(Buffer.compare((await p.checkpoints.get(5))!, ours(5))).toBe(0)
      })
    })

    describe('a log with a limit in bytes', () => {
      beforeEach(() => make({ bytesMax: 200_000 }))

      test('a full log refuses, stays readable, and takes records again after a trim', async () => {
        expect((await p.state()).bytesMax).toBe(200_000)
        let stored = 0
        const full = await (async () => {
          for (; stored < 100; stored++) await append(ours(1, 20_000), stored)
        })().catch((e: unknown) => e)
        expect(isKirokuError(full) && full.id).toBe('StorageFull')
        expect(stored).toBeGreaterThan(5)
        await expect(p.fence([ours(1, 20_000), ours(2, 20_000)], stored)).rejects.toEqual(
          failure('StorageFull'),
        )
        expect((await collect(p.read(1))).length).toBe(stored)
        await p.trim(3)
        expect(await p.append(ours(1, 20_000), stored)).toBe(stored + 1)
      })
    })
  })
}
