import { crc32 } from 'node:zlib'
import { type Command, type CommandOf, decodeEnvelope, KirokuError, type Reply } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import { decodeCheckpoint, startMemoryEngine, type MemoryEngine } from '@kiroku/testkit/engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Progress } from '../replay/Progress.ts'
import { ask, lastFrame, noteOfEnd, receive, send, tester } from '../testing/TestRecord.ts'
import type { TailNote } from '../verify/TailNote.ts'
import { verify } from '../verify/verify.ts'
import { checkRecord } from './checkRecord.ts'
import { planRepair, repair } from './repair.ts'

let engine: MemoryEngine
const order = { decodeCheckpoint, by: tester, note: 'the disk' }
const plan = () => planRepair(engine.log, 0, { decodeCheckpoint })
const check = () => verify(engine.log, { decodeCheckpoint })
const counts = async () => (await ask(engine, 0, { type: 'DescribeQueue', queue: 'mail' })).counts
const lastSeq = async () => (await lastFrame(engine.log, 0)).seq
const texts = (count: number) => Array.from({ length: count }, (_, i) => `text ${i}`)

beforeEach(async () => {
  engine = await startMemoryEngine({ partitions: 1, checkpoints: { bytesMin: 30_000, ageMs: 1e9 } })
  await ask(engine, 0, { type: 'CreateQueue', queue: 'mail', config: {}, by: tester })
})
afterEach(() => engine.close())

describe('a whole log', () => {
  it('needs no repair, and none is made', async () => {
    await send(engine, 0, 'mail', 'a')
    const before = await lastSeq()
    expect(await plan()).toMatchObject({ kind: 'none', from: before + 1, upTo: before })
    expect(await repair(engine.log, 0, order)).toEqual([])
    expect(await lastSeq()).toBe(before)
  })

  it('reports the progress of each read', async () => {
    await send(engine, 0, 'mail', 'a')
    const told: Progress[] = []
    await planRepair(engine.log, 0, { decodeCheckpoint, onProgress: (progress) => told.push(progress) })
    await checkRecord(engine.log, { decodeCheckpoint, bytesMax: 0, onProgress: (p) => told.push(p) })
    const lastSeq = await lastFrame(engine.log, 0)
    expect(told.length).toBeGreaterThanOrEqual(3)
    for (const { partition, seq, events, ...to } of told) {
      expect({ partition, ...to }).toEqual({ partition: 0, lastSeq: lastSeq.seq })
      expect(events).toBeGreaterThan(0)
      expect(seq).toBeLessThanOrEqual(lastSeq.seq)
    }
  })
})

describe('a partition that the store does not have', () => {
  it('is named by every read of the log, and back as it was after a repair', async () => {
    await send(engine, 0, 'mail', 'a', 'b')
    await engine.close()
    const end = await lastSeq()
    engine.log.faults.unload(0)
    const problem = { id: 'LogDamaged', message: 'partition 0 is missing' }
    expect(await plan()).toMatchObject({ kind: 'missing', problem })
    expect(await check()).toMatchObject({ ok: false, partitions: [{ partition: 0, problem }] })
    expect(await checkRecord(engine.log, { decodeCheckpoint, bytesMax: 0 })).toMatchObject([{ problem }])
    expect(await repair(engine.log, 0, order)).toMatchObject([{ kind: 'missing' }])
    expect(await plan()).toMatchObject({ kind: 'none', lastSeq: end })
    expect(await repair(engine.log, 0, order)).toEqual([])
    expect(await check()).toMatchObject({ ok: true })
    await engine.restart()
    expect(await counts()).toMatchObject({ available: 2 })
  })

  it('gives nothing up in the repair that brings it back: damage in it must be shown first', async () => {
    await send(engine, 0, 'mail', 'a')
    await engine.close()
    const end = await lastSeq()
    engine.log.faults.damage(0, end)
    engine.log.faults.unload(0)
    expect(await repair(engine.log, 0, order)).toMatchObject([{ kind: 'missing' }])
    expect(await plan()).toMatchObject({ kind: 'void', from: end, lastSeq: end })
  })
})

describe.each(['a flipped byte', 'a hole'])('%s that no checkpoint follows', (kind) => {
  const damage = (seq: number): void =>
    kind === 'a hole' ? engine.log.faults.loseRecord(0, seq) : engine.log.faults.damage(0, seq)
  let bad: number
  let end: number

  beforeEach(async () => {
    await send(engine, 0, 'mail', 'a', 'b', 'c')
    await receive(engine, 0, 'mail', 1)
    bad = (await lastSeq()) + 1
    await send(engine, 0, 'mail', 'lost')
    await send(engine, 0, 'mail', 'd', 'e')
    await ask(engine, 0, { type: 'Ack', items: (await receive(engine, 0, 'mail', 1)).items })
    await engine.close()
    end = await lastSeq()
    damage(bad)
  })

  it('is shown with what it costs', async () => {
    expect(await plan()).toMatchObject({
      kind: 'void',
      problem: { id: 'LogDamaged', seq: bad },
      from: bad,
      upTo: end,
      reopensAt: end + 1,
      lost: { unreadable: 1, records: end - bad, sent: 2, settled: 2, bodies: 0 },
    })
    expect(await check()).toMatchObject({ ok: false, partitions: [{ problem: { seq: bad } }] })
  })

  it('is repaired: the partition continues from before it, and verifies', async () => {
    const [done] = await repair(engine.log, 0, order)
    expect(done).toMatchObject({ kind: 'void' })
    expect(await plan()).toMatchObject({ kind: 'none' })
    await engine.restart()
    expect(await counts()).toMatchObject({ sent: 3, inflight: 1, available: 2, committed: 0 })
    // Numbers and deliveries that were given up are never reused.
    expect((await send(engine, 0, 'mail', 'f')).first).toBeGreaterThan(1_000)
    const again = await receive(engine, 0, 'mail')
    expect(again.numbers).toEqual([2, 2, again.numbers[2], 1])
    expect(again.delivery).toBeGreaterThan(1_000)
    await ask(engine, 0, { type: 'Ack', items: again.items })
    await engine.restart()
    expect(await counts()).toMatchObject({ sent: 4, committed: 3 })
    const report = await check()
    expect(report.partitions[0]!.problem).toBeUndefined()
    expect(report.partitions[0]!.repaired).toMatchObject([
      { seq: end + 1, from: bad, upTo: end, note: 'the disk', by: tester },
    ])
  })

  it('can be repaired again after new damage', async () => {
    await repair(engine.log, 0, order)
    await engine.restart()
    await send(engine, 0, 'mail', 'f')
    const sent = await lastSeq()
    await engine.close()
    engine.log.faults.damage(0, sent)
    await repair(engine.log, 0, order)
    await engine.restart()
    expect(await counts()).toMatchObject({ sent: 3 })
    expect((await check()).partitions[0]).toMatchObject({ ok: true, repaired: [{}, {}] })
  })
})

describe('damage', () => {
  it('of the last record closes the partition until it is repaired', async () => {
    await send(engine, 0, 'mail', 'a')
    await send(engine, 0, 'mail', 'b')
    await engine.close()
    const bad = await lastSeq()
    engine.log.faults.damage(0, bad)
    await engine.restart()
    await expect(counts()).rejects.toThrow('Quarantined')
    expect(await repair(engine.log, 0, order)).toMatchObject([{ kind: 'void', from: bad, upTo: bad }])
    await engine.restart()
    expect(await counts()).toMatchObject({ sent: 1 })
    expect(await check()).toMatchObject({ ok: true })
  })

  it('in the middle is not made worse by owners that try', async () => {
    await send(engine, 0, 'mail', 'a')
    const bad = await lastSeq()
    await send(engine, 0, 'mail', 'b')
    await engine.close()
    engine.log.faults.damage(0, bad)
    await engine.restart()
    await engine.restart()
    expect(await repair(engine.log, 0, order)).toMatchObject([{ kind: 'void', from: bad }])
    await engine.restart()
    expect(await counts()).toMatchObject({ sent: 0 })
    expect(await check()).toMatchObject({ ok: true })
  })

  it('of the first record leaves an empty partition', async () => {
    await engine.close()
    engine.log.faults.damage(0, 1)
    expect(await repair(engine.log, 0, order)).toMatchObject([{ kind: 'void', from: 1 }])
    await engine.restart()
    await ask(engine, 0, { type: 'CreateQueue', queue: 'mail', config: {}, by: tester })
    expect(await check()).toMatchObject({ ok: true })
  })

  it('by a newer version is not damage: nothing is given up', async () => {
    await engine.close()
    const { seq } = await lastFrame(engine.log, 0)
    const data = Uint8Array.from((await (await engine.log.partition(0)).get(seq))!.data)
    data[8] = 99
    const view = new DataView(data.buffer)
    view.setUint32(4, crc32(data.subarray(8), crc32(data.subarray(0, 4))), true)
    engine.log.faults.loseTail(0, 1)
    engine.log.faults.write(0, data)
    const refused = expect.objectContaining({ id: 'FutureVersion' }) as KirokuError
    await expect(plan()).rejects.toEqual(refused)
    await expect(repair(engine.log, 0, order)).rejects.toEqual(refused)
    expect(await check()).toMatchObject({ partitions: [{ problem: { id: 'FutureVersion', seq } }] })
  })
})

it('a lost end that only a node knows of is acknowledged on request', async () => {
  await send(engine, 0, 'mail', 'a')
  const end = await lastSeq()
  await send(engine, 0, 'mail', 'b')
  await engine.close()
  engine.log.faults.loseTail(0, (await lastSeq()) - end)
  expect(await plan()).toMatchObject({ kind: 'none' })
  const done = await repair(engine.log, 0, { ...order, acknowledgeLostEnd: true })
  expect(done).toMatchObject([{ kind: 'lostEnd', from: end + 1, upTo: end }])
  await engine.restart()
  expect((await send(engine, 0, 'mail', 'c')).first).toBeGreaterThan(1_000)
  expect(await check()).toMatchObject({ ok: true, partitions: [{ repaired: [{ from: end + 1 }] }] })
})

describe('an end shorter than a node noted', () => {
  let tails: TailNote[]
  let end: number

  beforeEach(async () => {
    await send(engine, 0, 'mail', 'a')
    end = await lastSeq()
    await send(engine, 0, 'mail', 'b')
    await engine.close()
    tails = [await noteOfEnd(engine)]
  })
  const problems = async () =>
    [
      (await verify(engine.log, { decodeCheckpoint, tails })).partitions[0]!.problem,
      (await planRepair(engine.log, 0, { decodeCheckpoint, tails })).problem,
    ] as const

  it('is whole while nothing is missing', async () => {
    expect(await problems()).toEqual([undefined, undefined])
  })

  it.each(['as it is', 'and another owner continued'])('is missed %s, from where it is lost', async (how) => {
    engine.log.faults.loseTail(0, (await lastSeq()) - end)
    if (how !== 'as it is') {
      await engine.restart()
      await send(engine, 0, 'mail', ...texts(10))
      await engine.close()
    }
    const missed = { id: 'LogShortened', seq: end + 1 }
    expect(await problems()).toMatchObject([missed, missed])
    expect(await repair(engine.log, 0, { ...order, tails })).toMatchObject([{ kind: 'lostEnd' }])
    expect(await problems()).toEqual([undefined, undefined])
  })
})

it('an end lost together with its owner is acknowledged by an epoch of its own', async () => {
  await send(engine, 0, 'mail', 'a')
  await engine.close()
  const end = await lastSeq()
  await engine.restart()
  await engine.close()
  const tails = [await noteOfEnd(engine)]
  const { seq, epoch } = tails[0]!
  engine.log.faults.loseTail(0, seq - end)
  expect(await repair(engine.log, 0, { ...order, tails })).toHaveLength(1)
  expect((await lastFrame(engine.log, 0)).epoch).toBeGreaterThan(epoch)
  expect(await verify(engine.log, { decodeCheckpoint, tails })).toMatchObject({ ok: true })
})

describe('a dead letter in transit whose body is damaged', () => {
  it('arrives without it once a repair accepted that', async () => {
    const arrived: CommandOf<'Forward'>[] = []
    let isThere = false
    const remote = (_to: number, [command]: readonly Command[]): Promise<Reply> => {
      if (!isThere) return Promise.reject(new KirokuError('Unavailable', 'nobody there'))
      const forward = command as CommandOf<'Forward'>
      arrived.push(forward)
      const upTo = forward.forward + forward.messages.length
      return Promise.resolve({ epoch: 1, seq: 1, answers: [{ ok: { outcome: 'stored', upTo } }] })
    }
    await engine.close()
    engine = await startMemoryEngine({ partitions: 1, remote, checkpoints: { bytesMin: 1, ageMs: 1e9 } })
    const deadLetter = { name: 'dead', partition: 7, queue: 1 }
    await ask(engine, 0, { type: 'CreateQueue', queue: 'mail', config: { deadLetter }, by: tester })
    await send(engine, 0, 'mail', 'a')
    const bodySeq = await lastSeq()
    await ask(engine, 0, { type: 'DeadLetter', items: (await receive(engine, 0, 'mail')).items })
    await send(engine, 0, 'mail', 'x'.repeat(50_000))
    const handle = await engine.log.partition(0)
    await waitUntil(async () => (await handle.checkpoints.list()).some((seq) => seq > bodySeq))
    await engine.close()
    engine.log.faults.loseRecord(0, bodySeq)
    expect(await repair(engine.log, 0, order)).toMatchObject([{ kind: 'bridge' }])
    isThere = true
    await engine.restart()
    await waitUntil(() => arrived.length > 0)
    const { body, meta } = decodeEnvelope(arrived[0]!.messages[0]!)
    expect([body.length, meta.lineage?.queue]).toEqual([0, 'mail'])
  })
})
