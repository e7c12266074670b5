import { decodeCheckpoint, startMemoryEngine, type MemoryEngine } from '@kiroku/testkit/engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ask, body, receive, send, tester } from '../testing/TestRecord.ts'
import { verify } from './verify.ts'

let engine: MemoryEngine
const check = (deep = false) => verify(engine.log, { decodeCheckpoint, deep })

beforeEach(async () => {
  engine = await startMemoryEngine({ partitions: 2 })
  const dead = await ask(engine, 1, { type: 'CreateQueue', queue: 'dead', config: {}, by: tester })
  const deadLetter = { name: 'dead', partition: 1, queue: dead.queue }
  const config = { retriesMax: 1, deadLetter }
  await ask(engine, 0, { type: 'CreateQueue', queue: 'mail', config, by: tester })
})
afterEach(() => engine.close())

/** Every kind of life: acked, retried, dead-lettered over partitions, released, waiting, delayed, purged. */
const liveOn = async () => {
  await send(engine, 0, 'mail', 'a', 'b', 'c', 'd')
  const first = await receive(engine, 0, 'mail', 3)
  const [{ queue, sub, delivery }] = first.items as [(typeof first.items)[0]]
  const item = (n: number) => [{ queue, sub, delivery, numbers: [n, 1] }]
  await ask(engine, 0, { type: 'Ack', items: item(1) })
  await ask(engine, 0, { type: 'Retry', items: item(2), error: 'broken' })
  await ask(engine, 0, { type: 'Extend', items: item(3), leaseMs: 60_000 })
  await ask(engine, 0, { type: 'Release', items: item(3) })
  const second = await receive(engine, 0, 'mail', 2)
  await ask(engine, 0, { type: 'Retry', items: second.items, error: 'broken again' })
  const dead = await receive(engine, 1, 'dead', 1, 5_000)
  await ask(engine, 1, { type: 'Retry', items: dead.items, delayMs: 3_600_000 })
  const messages = [body('e'), body('f')]
  await ask(engine, 0, {
    type: 'Enqueue',
    queue: 'mail',
    producer: 'p',
    send: 1,
    messages,
    delaysMs: [0, 9_000],
  })
}

describe('an honest record', () => {
  it.each([false, true])('is found in order (deep: %s)', async (deep) => {
    await liveOn()
    await engine.restart()
    const report = await check(deep)
    expect(report.partitions.map((p) => p.problem)).toEqual([undefined, undefined])
    expect(report).toMatchObject({ ok: true })
    expect(report.totals).toMatchObject({ sent: 7, committed: 1, deadLettered: 1, live: 5 })
    expect(report.kinds).toBeGreaterThan(6)
  })

  it('may hold foreign records, which are counted', async () => {
    await engine.close()
    engine.log.faults.write(0, new TextEncoder().encode('stray'))
    expect(await check()).toMatchObject({ ok: true, partitions: [{ foreign: 1 }, { foreign: 0 }] })
  })
})
