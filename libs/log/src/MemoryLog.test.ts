import { expect, test } from 'vitest'
import type { LogRecord } from './Log.ts'
import { createMemoryLog } from './MemoryLog.ts'

const record = (text: string): Uint8Array => new TextEncoder().encode(text)
const a = record('a')
const failure = (id: string) => expect.objectContaining({ id })
const open = async () => {
  const log = createMemoryLog()
  return { log, old: await log.partition(0), next: await log.partition(0) }
}

test('a lost append is not stored, and those after it are fenced', async () => {
  const { log, old } = await open()
  log.faults.onAppend(0, 'none', 'requestLost')
  const results = await Promise.allSettled([old.append(a, 0), old.append(a, 1), old.append(a, 2)])
  expect(results).toMatchObject([
    { value: 1 },
    { reason: { id: 'LogAmbiguous' } },
    { reason: { id: 'Fenced' } },
  ])
  expect((await old.state()).lastSeq).toBe(1)
})

test('an append whose answer is lost is stored', async () => {
  const { log, old } = await open()
  log.faults.onAppend(0, 'answerLost')
  await expect(old.append(a, 0)).rejects.toEqual(failure('LogAmbiguous'))
  expect((await old.state()).lastSeq).toBe(1)
})

test('a late append lands with those after it when nothing came between', async () => {
  const { log, old } = await open()
  log.faults.onAppend(0, 'late')
  const results = await Promise.allSettled([old.append(a, 0), old.append(a, 1)])
  expect(results.map((r) => r.status)).toEqual(['rejected', 'rejected'])
  expect((await old.state()).lastSeq).toBe(0)
  expect(log.faults.land(0)).toBe(2)
  expect((await old.state()).lastSeq).toBe(2)
})

test('late appends all fail after a fence of as many records', async () => {
  const { log, old, next } = await open()
  log.faults.onAppend(0, 'late')
  await Promise.allSettled([0, 1, 2, 3].map((seq) => old.append(a, seq)))
  await next.fence([a, a, a, a], 0)
  expect(log.faults.land(0)).toBe(0)
})

test('a fence of a single record lets a late second append through: why it needs as many as are in flight', async () => {
  const { log, old, next } = await open()
  log.faults.onAppend(0, 'late')
  await Promise.allSettled([0, 1].map((seq) => old.append(a, seq)))
  await next.fence([a], 0)
  expect(log.faults.land(0)).toBe(1)
})

test('after its own fence a handle works again although an earlier append is still in flight', async () => {
  const { log, old } = await open()
  log.faults.onAppend(0, 'late')
  await expect(old.append(a, 0)).rejects.toEqual(failure('LogAmbiguous'))
  expect((await old.fence([a], 0)).seq).toBe(1)
  expect(await old.append(a, 1)).toBe(2)
  expect(log.faults.land(0)).toBe(0)
})

test('a lost tail reuses its sequences', async () => {
  const { log, old } = await open()
  for (const seq of [0, 1, 2]) await old.append(a, seq)
  log.faults.loseTail(0, 2)
  expect((await old.state()).lastSeq).toBe(1)
  expect(await old.append(record('b'), 1)).toBe(2)
})

test('full, down and slow can be switched on and off', async () => {
  const delays: number[] = []
  const log = createMemoryLog(
    {},
    {
      schedule: (ms, fn) => {
        delays.push(ms)
        queueMicrotask(fn)
      },
    },
  )
  const p = await log.partition(0)
  log.faults.full(true)
  await expect(p.append(a, 0)).rejects.toEqual(failure('StorageFull'))
  log.faults.full(false)
  log.faults.down(true)
  await expect(p.append(a, 0)).rejects.toEqual(failure('NatsUnreachable'))
  log.faults.down(false)
  log.faults.slow(50)
  expect(await p.append(a, 0)).toBe(1)
  expect(delays).toEqual([0, 0, 50])
})

test('damage, holes and lost checkpoints are visible to the reader', async () => {
  const { log, old } = await open()
  for (const seq of [0, 1, 2]) await old.append(record('abc'), seq)
  log.faults.damage(0, 1, 0)
  log.faults.loseRecord(0, 2)
  const seen: LogRecord[] = []
  for await (const r of old.read(1)) seen.push(r)
  expect(seen.map((r) => r.seq)).toEqual([1, 3])
  expect(await old.state()).toMatchObject({ holes: 1 })
  expect(await old.holes()).toEqual([2])
  expect(seen[0]!.data[0]).toBe('a'.charCodeAt(0) ^ 0xff)
  await old.checkpoints.put(3, record('state'))
  log.faults.loseCheckpoint(0, 3)
  expect(await old.checkpoints.get(3)).toBeUndefined()
})

test('a partition that the log does not have is refused', async () => {
  await expect(createMemoryLog({ partitions: 2 }).partition(2)).rejects.toEqual(failure('InvalidArgument'))
})

test('a late append finds no room when the store became full meanwhile', async () => {
  const { log, old } = await open()
  log.faults.onAppend(0, 'late')
  await Promise.allSettled([old.append(a, 0), old.append(a, 1)])
  log.faults.resizeStream(0, 1)
  expect(log.faults.land(0)).toBe(1)
  expect((await old.state()).lastSeq).toBe(1)
})

test('records are refused once the store takes only smaller ones', async () => {
  const { log, old } = await open()
  await old.append(record('long'), 0)
  log.faults.limitRecords(3)
  expect(old.recordBytesMax).toBe(3)
  await expect(old.append(record('long'), 1)).rejects.toEqual(failure('RecordTooLarge'))
  await expect(old.append(a, 1)).resolves.toBe(2)
})
