import { partitionOf } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import { decodeCheckpoint, startMemoryEngine, type MemoryEngine } from '@kiroku/testkit/engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ask, lastFrame, receive, send, tester } from '../testing/TestRecord.ts'
import { logAt } from './logAt.ts'
import { spanOf } from './spanOf.ts'
import { stateAt } from './stateAt.ts'

let engine: MemoryEngine

beforeEach(async () => {
  engine = await startMemoryEngine({ partitions: 2 })
})
afterEach(() => engine.close())

const options = { decodeCheckpoint, now: Number.MAX_SAFE_INTEGER }
const home = (queue: string): number => partitionOf(queue, 2)
const create = (queue: string) =>
  ask(engine, home(queue), { type: 'CreateQueue', queue, config: {}, by: tester })

describe('a log at a moment', () => {
  it('shows each queue as reading it alone does, on all partitions', async () => {
    const names = ['mail', 'work', 'a', 'b', 'c']
    expect(new Set(names.map(home)).size).toBe(2)
    for (const name of names) await create(name)
    for (const name of names) await send(engine, home(name), name, 'x', 'y', 'z')
    await receive(engine, home('work'), 'work', 2)
    const last = await Promise.all([0, 1].map((n) => lastFrame(engine.log, n)))
    const time = Math.max(...last.map(({ at }) => at))
    const whole = await logAt(engine.log, { time }, options)
    expect(whole.queues.map(({ queue }) => queue)).toEqual(names.toSorted())
    for (const found of whole.queues) {
      const alone = await stateAt(engine.log, found.queue, { time }, { ...options, messagesMax: 0 })
      const { messages: _, messagesTotal: __, next: ___, ...overview } = alone
      expect(found).toEqual(overview)
    }
    expect(whole.partitions).toMatchObject(last.map(({ seq, epoch }) => ({ seq, epoch, owner: 'node-1' })))
  })

  it('knows only the queues of that moment', async () => {
    await create('mail')
    const { seq, at } = await lastFrame(engine.log, home('mail'))
    await send(engine, home('mail'), 'mail', 'x')
    await ask(engine, home('mail'), { type: 'DeleteQueue', queue: 'mail', by: tester })
    const before = await logAt(engine.log, { partition: home('mail'), seq }, options)
    expect(before).toMatchObject({ at, queues: [{ queue: 'mail', counts: { sent: 0 } }] })
    expect((await logAt(engine.log, { time: options.now }, options)).queues).toEqual([])
  })

  it('lists a spread queue once, with the sums of its parts', async () => {
    await create('mail')
    const there = 1 - home('mail')
    await ask(engine, home('mail'), { type: 'SpreadQueue', queue: 'mail', partitions: [there], by: tester })
    await waitUntil(() => engine.node().actors.get(there)!.state.names.get('mail')?.place?.isOpen === true)
    await send(engine, home('mail'), 'mail', 'x')
    const { queues } = await logAt(engine.log, { time: options.now }, options)
    expect(queues).toMatchObject([{ queue: 'mail', counts: { sent: 1 }, places: [{}, { partition: there }] }])
  })

  it('refuses a moment before the record, one in the future, and a sequence without a partition', async () => {
    await create('mail')
    const refused = (asked: Parameters<typeof logAt>[1], now = options.now) =>
      logAt(engine.log, asked, { ...options, now })
    await expect(refused({ time: 1 })).rejects.toMatchObject({ id: 'BeyondRecord' })
    await expect(refused({ time: 6 }, 5)).rejects.toMatchObject({ id: 'FutureMoment' })
    await expect(refused({ seq: 3 })).rejects.toMatchObject({ id: 'InvalidArgument' })
  })

  it('names a partition whose log is damaged, and shows the others; it fails where none can be read', async () => {
    const here = 'mail'
    const there = ['work', 'a', 'b', 'c'].find((name) => home(name) !== home(here))!
    await create(here)
    await create(there)
    const { seq, at } = await lastFrame(engine.log, home(here))
    await send(engine, home(here), here, 'x')
    await send(engine, home(there), there, 'x')
    await engine.close()
    engine.log.faults.damage(home(here), seq)
    const now = { time: options.now }
    expect(await logAt(engine.log, now, options)).toMatchObject({
      queues: [{ queue: there, counts: { sent: 1 } }],
      partitions: [{ partition: home(there) }],
      missing: [
        {
          partition: home(here),
          problem: { id: 'LogDamaged', help: expect.stringContaining('kiroku repair') },
        },
      ],
    })
    const before = await logAt(engine.log, { time: at - 1 }, options)
    expect(before).toMatchObject({ partitions: [{}, {}], missing: [] })
    engine.log.faults.damage(home(there), 1)
    await expect(logAt(engine.log, now, options)).rejects.toMatchObject({ id: 'LogDamaged' })
  })

  it('shows a thousand queues', async () => {
    const commands = Array.from({ length: 1_000 }, (_, i) => ({
      type: 'CreateQueue' as const,
      queue: `queue-${i}`,
      config: {},
      by: tester,
    }))
    for (const n of [0, 1])
      await engine.node().request(
        n,
        commands.filter(({ queue }) => home(queue) === n),
      )
    expect((await logAt(engine.log, { time: options.now }, options)).queues).toHaveLength(1_000)
  })
})

describe('the span of a log', () => {
  it('reaches from the first known state to the last frame, and names the home of a queue', async () => {
    await create('mail')
    await send(engine, home('mail'), 'mail', 'x')
    const { seq, at } = await lastFrame(engine.log, home('mail'))
    const span = await spanOf(engine.log, 'mail', options)
    const own = span.partitions[home('mail')]!
    expect(span.home).toBe(home('mail'))
    expect(own).toMatchObject({ firstSeq: 1, lastSeq: seq, to: { seq, at } })
    expect(span.to.at).toBeGreaterThanOrEqual(at)
    expect(own.from.at).toBe(span.from.at)
    await expect(logAt(engine.log, { time: span.from.at - 1_000 }, options)).rejects.toMatchObject({
      id: 'BeyondRecord',
    })
    expect((await logAt(engine.log, { time: span.from.at }, options)).at).toBe(span.from.at)
  })

  it('leaves out a partition whose state is no longer known anywhere', async () => {
    await create('mail')
    const { seq } = await lastFrame(engine.log, home('mail'))
    await send(engine, home('mail'), 'mail', 'x')
    await (await engine.log.partition(home('mail'))).trim(seq)
    const { partitions } = await spanOf(engine.log, undefined, options)
    expect(partitions.map(({ partition }) => partition)).toEqual([1 - home('mail')])
  })
})
