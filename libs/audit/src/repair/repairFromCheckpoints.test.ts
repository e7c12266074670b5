import { waitUntil } from '@kiroku/testkit'
import { decodeCheckpoint, startMemoryEngine, type MemoryEngine } from '@kiroku/testkit/engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ask, firstSend, forge, lastFrame, noteOfEnd, receive, send, tester } from '../testing/TestRecord.ts'
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

describe('with checkpoints', () => {
  /** Sends until there are two checkpoints, and leaves the messages of the first frame unsettled. */
  const untilTwoStand = async (): Promise<[number, number]> => {
    const handle = await engine.log.partition(0)
    for (let i = 0; (await handle.checkpoints.list()).length < 2; i++)
      await send(engine, 0, 'mail', ...texts(20).map((text) => text.repeat(20)))
    await waitUntil(() => engine.node().actors.get(0)!.state.checkpoints.length === 2)
    await send(engine, 0, 'mail', 'behind')
    await engine.close()
    const [newer, older] = await handle.checkpoints.list()
    return [older!, newer!]
  }

  it('one that an engine deletes during the search is not damage', async () => {
    const [older] = await untilTwoStand()
    const handle = await engine.log.partition(0)
    const list = async () => {
      const listed = await handle.checkpoints.list()
      await handle.checkpoints.delete(older)
      return listed
    }
    const checkpoints = { ...handle.checkpoints, list }
    const partition = async () =>
      new Proxy(handle, {
        get: (target, name) => {
          if (name === 'checkpoints') return checkpoints
          const value = Reflect.get(target, name, target) as unknown
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
    const log = { ...engine.log, partition }
    const [found] = await checkRecord(log, { decodeCheckpoint, bytesMax: Infinity })
    expect(found!.problem).toBeUndefined()
  })

  it('verify checks each one against the replay', async () => {
    await untilTwoStand()
    expect(await check()).toMatchObject({ ok: true, partitions: [{ checkpoints: 2, fromSeq: 0 }] })
  })

  it('damage before one costs no state: the range is bridged, and only messages without a body go', async () => {
    const [, newer] = await untilTwoStand()
    await engine.restart()
    const before = await counts()
    await engine.close()
    const bad = await firstSend(engine)
    engine.log.faults.damage(0, bad)
    expect((await check()).partitions[0]!.problem).toMatchObject({ seq: bad })
    expect(await plan()).toMatchObject({
      kind: 'bridge',
      from: bad,
      upTo: newer,
      lost: { unreadable: 1, records: 0, sent: 0, bodies: 20 },
    })
    await repair(engine.log, 0, order)
    expect(await plan()).toMatchObject({ kind: 'none' })
    await engine.restart()
    expect(await counts()).toMatchObject({
      sent: before.sent,
      available: before.available - 20,
      discarded: 20,
    })
    const { numbers, items } = await receive(engine, 0, 'mail')
    expect(numbers).toEqual([21, 10])
    await ask(engine, 0, { type: 'Ack', items })
    const report = await check()
    expect(report.partitions[0]).toMatchObject({
      ok: true,
      fromSeq: newer,
      repaired: [{ from: bad, upTo: newer }],
    })
  })

  it('records that are gone before one close the partition, although its state needs none of them', async () => {
    const [, newer] = await untilTwoStand()
    const bad = await firstSend(engine)
    engine.log.faults.loseRecord(0, bad)
    await engine.restart()
    await expect(counts()).rejects.toThrow(`sequence ${bad}: the record is missing`)
    expect(await repair(engine.log, 0, order)).toMatchObject([{ kind: 'bridge', from: bad, upTo: newer }])
    for (let starts = 0; starts < 2; starts++) {
      await engine.restart()
      expect(await counts()).toMatchObject({ discarded: 20 })
    }
    expect(await check()).toMatchObject({ ok: true })
  })

  it('a missing beginning that was never trimmed is found, and given up by a repair', async () => {
    const [older] = await untilTwoStand()
    await engine.restart()
    const before = await counts()
    await engine.close()
    await (await engine.log.partition(0)).trim(older - 1)
    expect((await check()).partitions[0]!.problem).toMatchObject({ id: 'LogDamaged', seq: 1 })
    await engine.restart()
    await expect(counts()).rejects.toThrow('sequence 1: the record is missing')
    const shown = await plan()
    expect(shown).toMatchObject({
      kind: 'bridge',
      from: 1,
      upTo: older,
      problem: { id: 'LogDamaged', seq: 1 },
      lost: { unreadable: older - 1 },
    })
    expect(await repair(engine.log, 0, order)).toHaveLength(1)
    expect(await plan()).toMatchObject({ kind: 'none' })
    for (let starts = 0; starts < 2; starts++) {
      await engine.restart()
      expect(await counts()).toMatchObject({
        sent: before.sent,
        available: before.available - shown.lost.bodies,
        discarded: shown.lost.bodies,
      })
    }
    const { numbers, items } = await receive(engine, 0, 'mail')
    expect(numbers[0]).toBe(shown.lost.bodies + 1)
    await ask(engine, 0, { type: 'Ack', items })
    expect(await check()).toMatchObject({ ok: true, partitions: [{ firstSeq: older }] })
  })

  it('damage after one is repaired from it', async () => {
    const [, newer] = await untilTwoStand()
    const end = await lastSeq()
    engine.log.faults.damage(0, end)
    expect(await repair(engine.log, 0, order)).toMatchObject([{ kind: 'void', from: end }])
    await engine.restart()
    expect((await check()).partitions[0]).toMatchObject({ ok: true, checkpoints: 2 })
    expect(engine.node().actors.get(0)!.describe().checkpointSeq).toBe(newer)
  })

  it('damage on both sides of one is repaired on both', async () => {
    await untilTwoStand()
    engine.log.faults.damage(0, await firstSend(engine))
    engine.log.faults.damage(0, await lastSeq())
    expect((await repair(engine.log, 0, order)).map(({ kind }) => kind)).toEqual(['void', 'bridge'])
    await engine.restart()
    expect(await check()).toMatchObject({ ok: true })
  })

  it('one that is damaged is found and deleted', async () => {
    const [older, newer] = await untilTwoStand()
    engine.log.faults.damageCheckpoint(0, newer)
    expect((await check()).partitions[0]!.problem).toMatchObject({ id: 'LogDamaged', seq: newer })
    expect(await repair(engine.log, 0, order)).toMatchObject([
      { kind: 'checkpoint', checkpointsDropped: [newer] },
    ])
    expect(await (await engine.log.partition(0)).checkpoints.list()).toEqual([older])
    expect(await check()).toMatchObject({ ok: true })
  })

  it('a log that ends before one has lost its end: a repair acknowledges that', async () => {
    const [older, newer] = await untilTwoStand()
    engine.log.faults.loseTail(0, (await lastSeq()) - newer + 1)
    expect((await check()).partitions[0]!.problem).toMatchObject({ id: 'LogShortened', seq: newer })
    expect(await plan()).toMatchObject({ kind: 'lostEnd', checkpointsDropped: [newer] })
    await repair(engine.log, 0, order)
    expect(await (await engine.log.partition(0)).checkpoints.list()).toEqual([older])
    await engine.restart()
    expect((await check()).partitions[0]).toMatchObject({ ok: true, repaired: [{}] })
  })

  it('where the lost end had recorded a trim, the messages whose bodies were trimmed are given up', async () => {
    const [older] = await untilTwoStand()
    await engine.restart()
    const before = await counts()
    await engine.close()
    await forge(engine.log, 0, [{ type: 'Trimmed', upTo: older - 1 }])
    const tails = [await noteOfEnd(engine)]
    await (await engine.log.partition(0)).trim(older - 1)
    engine.log.faults.loseTail(0, 1)
    const { kind, lost } = await planRepair(engine.log, 0, { decodeCheckpoint, tails })
    const trimmed = lost.bodies
    expect(kind).toBe('lostEnd')
    expect(trimmed).toBeGreaterThan(0)
    expect(await repair(engine.log, 0, { ...order, tails })).toHaveLength(1)
    expect(await plan()).toMatchObject({ kind: 'none' })
    await engine.restart()
    const { available, discarded } = await counts()
    expect([available, discarded]).toEqual([before.available - trimmed, trimmed])
    expect((await check()).partitions[0]).toMatchObject({ ok: true, repaired: [{}] })
  })

  it('where the trim covered a body in a record of its own, the message is given up although its frame is left', async () => {
    await send(engine, 0, 'mail', 'x'.repeat(300_000))
    const frame = await lastSeq()
    await untilTwoStand()
    await forge(engine.log, 0, [{ type: 'Trimmed', upTo: frame - 1 }])
    const tails = [await noteOfEnd(engine)]
    await (await engine.log.partition(0)).trim(frame - 1)
    engine.log.faults.loseTail(0, 1)
    expect(await planRepair(engine.log, 0, { decodeCheckpoint, tails })).toMatchObject({
      kind: 'lostEnd',
      lost: { bodies: 1 },
    })
    await repair(engine.log, 0, { ...order, tails })
    await engine.restart()
    const { numbers } = await receive(engine, 0, 'mail')
    expect(numbers[0]).toBe(2)
    expect(await counts()).toMatchObject({ discarded: 1 })
    expect((await check()).partitions[0]).toMatchObject({ ok: true, repaired: [{}] })
  })

  it('a log that is trimmed while it is read is not taken for damaged', async () => {
    const [older] = await untilTwoStand()
    const handle = await engine.log.partition(0)
    let isTrimmed = false
    const during = await planRepair(engine.log, 0, {
      decodeCheckpoint: (bytes) => {
        if (!isTrimmed) void handle.trim(older - 1)
        isTrimmed = true
        return decodeCheckpoint(bytes)
      },
    })
    expect(during).toEqual(await plan())
  })

  it('a trimmed log is verified from the oldest one, and cannot be repaired without any', async () => {
    const [older, newer] = await untilTwoStand()
    const handle = await engine.log.partition(0)
    await forge(engine.log, 0, [{ type: 'Trimmed', upTo: older - 1 }])
    await handle.trim(older - 1)
    expect((await check()).partitions[0]).toMatchObject({ ok: true, firstSeq: older, fromSeq: older })
    for (const seq of [older, newer]) engine.log.faults.loseCheckpoint(0, seq)
    expect(await check()).toMatchObject({ ok: false })
    expect(await plan()).toMatchObject({ kind: 'impossible' })
    await expect(repair(engine.log, 0, order)).rejects.toThrow('cannot be reopened')
  })
})
