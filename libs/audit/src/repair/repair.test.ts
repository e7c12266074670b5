import { crc32 } from 'node:zlib'
import { decodeRecord } from '@kiroku/log'
import { type Command, type CommandOf, decodeEnvelope, KirokuError, type Reply } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import { decodeCheckpoint, startMemoryEngine, type MemoryEngine } from '@kiroku/testkit/engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Progress } from '../replay/Progress.ts'
import { ask, forge, lastFrame, receive, send, tester } from '../testing/TestRecord.ts'
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

  it('tells how far each reading of it is', async () => {
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
  it('is named by every look at the log, and back as it was after a repair', async () => {
    await send(engine, 0, 'mail', 'a', 'b')
    await engine.close()
    const end = await lastSeq()
    engine.log.faults.unload(0)
    const problem = { id: 'LogDamaged', message: 'partition 0 is not there' }
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

  it('gives nothing up in the repair that brings it back: what is damaged in it is to be seen first', async () => {
    await send(engine, 0, 'mail', 'a')
    await engine.close()
    const end = await lastSeq()
    engine.log.faults.damage(0, end)
    engine.log.faults.unload(0)
    expect(await repair(engine.log, 0, order)).toMatchObject([{ kind: 'missing' }])
    expect(await plan()).toMatchObject({ kind: 'void', from: end, lastSeq: end })
  })
})

describe.each(['a flipped byte', 'a hole'])('%s behind which no checkpoint stands', (kind) => {
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

  it('is repaired: the partition goes on from what was before, and verifies', async () => {
    const [done] = await repair(engine.log, 0, order)
    expect(done).toMatchObject({ kind: 'void' })
    expect(await plan()).toMatchObject({ kind: 'none' })
    await engine.restart()
    expect(await counts()).toMatchObject({ sent: 3, inflight: 1, available: 2, committed: 0 })
    // Numbers and deliveries that were given up are never used again.
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

  it('can be repaired again when damage comes again', async () => {
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

  it('by a newer version is none: nothing is given up', async () => {
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

it('an end that only a node knows to be lost is acknowledged on request', async () => {
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

describe('an end of which a node noted more than there is', () => {
  let tails: TailNote[]
  let end: number

  beforeEach(async () => {
    await send(engine, 0, 'mail', 'a')
    end = await lastSeq()
    await send(engine, 0, 'mail', 'b')
    await engine.close()
    tails = [await noteOfEnd()]
  })
  const problems = async () =>
    [
      (await verify(engine.log, { decodeCheckpoint, tails })).partitions[0]!.problem,
      (await planRepair(engine.log, 0, { decodeCheckpoint, tails })).problem,
    ] as const

  it('is whole while it is there', async () => {
    expect(await problems()).toEqual([undefined, undefined])
  })

  it.each(['as it is', 'and another owner went on'])('is missed %s, from where it is gone', async (how) => {
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

it('an end that is gone together with its owner is acknowledged by an epoch of its own', async () => {
  await send(engine, 0, 'mail', 'a')
  await engine.close()
  const end = await lastSeq()
  await engine.restart()
  await engine.close()
  const tails = [await noteOfEnd()]
  const { seq, epoch } = tails[0]!
  engine.log.faults.loseTail(0, seq - end)
  expect(await repair(engine.log, 0, { ...order, tails })).toHaveLength(1)
  expect((await lastFrame(engine.log, 0)).epoch).toBeGreaterThan(epoch)
  expect(await verify(engine.log, { decodeCheckpoint, tails })).toMatchObject({ ok: true })
})

describe('with checkpoints', () => {
  /** Sends until two checkpoints stand, and leaves the messages of the first frame unsettled. */
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

  it('one that an engine deletes while it is looked for is no damage', async () => {
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

  it('verify holds every one against the replay', async () => {
    await untilTwoStand()
    expect(await check()).toMatchObject({ ok: true, partitions: [{ checkpoints: 2, fromSeq: 0 }] })
  })

  it('damage before one costs no state: the stretch is bridged, and only what lost its body goes', async () => {
    const [, newer] = await untilTwoStand()
    await engine.restart()
    const before = await counts()
    await engine.close()
    const bad = await firstSend()
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
    const bad = await firstSend()
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

  it('a beginning that nobody trimmed is missed, and given up by a repair', async () => {
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

  it('damage behind one is repaired from it', async () => {
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
    engine.log.faults.damage(0, await firstSend())
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

  it('a log that ends before one lost its end: a repair acknowledges that', async () => {
    const [older, newer] = await untilTwoStand()
    engine.log.faults.loseTail(0, (await lastSeq()) - newer + 1)
    expect((await check()).partitions[0]!.problem).toMatchObject({ id: 'LogShortened', seq: newer })
    expect(await plan()).toMatchObject({ kind: 'lostEnd', checkpointsDropped: [newer] })
    await repair(engine.log, 0, order)
    expect(await (await engine.log.partition(0)).checkpoints.list()).toEqual([older])
    await engine.restart()
    expect((await check()).partitions[0]).toMatchObject({ ok: true, repaired: [{}] })
  })

  it('where the lost end had noted what was trimmed, the messages whose bodies went with it are given up', async () => {
    const [older] = await untilTwoStand()
    await engine.restart()
    const before = await counts()
    await engine.close()
    await forge(engine.log, 0, [{ type: 'Trimmed', upTo: older - 1 }])
    const tails = [await noteOfEnd()]
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

  it('where it was trimmed up to a body in a record of its own, the message is given up although its frame is there', async () => {
    await send(engine, 0, 'mail', 'x'.repeat(70_000))
    const frame = await lastSeq()
    await untilTwoStand()
    await forge(engine.log, 0, [{ type: 'Trimmed', upTo: frame - 1 }])
    const tails = [await noteOfEnd()]
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

  it('a log that is trimmed while it is looked at is not taken for damaged', async () => {
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

/** What a node notes that saw the log as it is now. */
const noteOfEnd = async (): Promise<TailNote> => {
  const { seq, hash, epoch } = await lastFrame(engine.log, 0)
  return { partition: 0, epoch, seq, hash: Buffer.from(hash).toString('hex') }
}

/** Sequence of the first frame that holds messages. */
const firstSend = async (): Promise<number> => {
  for await (const { seq, data } of (await engine.log.partition(0)).read(1)) {
    const record = decodeRecord(data)
    if (record.kind === 'frame' && record.events.some((e) => e.type === 'Enqueued')) return seq
  }
  throw new Error('nothing was sent')
}

describe('a dead letter under way whose body is damaged', () => {
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
