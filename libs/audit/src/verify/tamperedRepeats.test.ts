import type { LogEvent } from '@kiroku/protocol'
import { decodeCheckpoint } from '@kiroku/testkit/engine'
import { describe, expect, it } from 'vitest'
import { body, forge } from '../testing/TestRecord.ts'
import {
  delivered,
  engine,
  enqueued,
  expectFound,
  of,
  oneBody,
  scene,
  withHonestRecord,
} from '../testing/TestTampering.ts'
import { verify } from './verify.ts'

withHonestRecord()

describe('deduplication that is not what the record says is found:', () => {
  const keys = (k: number) => new Uint8Array(16).fill(k)
  const keyed = (first: number, k: number, change: object = {}) =>
    enqueued(first, { queue: scene.once, keys: keys(k), ...change })
  const repeated = (original: number, k: number, send = 9): LogEvent => ({
    type: 'Deduplicated',
    queue: scene.once,
    producer: 'p',
    send,
    answer: [original, 1],
    originals: [original],
    keys: keys(k),
  })
  const body1 = () => ({ sections: [{ queue: scene.once, bodies: [body('x')] }] })

  it('nothing where it is honest', async () => {
    await forge(engine.log, 0, [keyed(1, 1), repeated(1, 1)], body1())
    await forge(engine.log, 0, [keyed(2, 1, { send: 4 })], { ...body1(), at: scene.at + 300_000 })
    expect(await verify(engine.log, { decodeCheckpoint })).toMatchObject({ ok: true })
  })
  it('a message stored although it was sent before', async () => {
    await forge(engine.log, 0, [keyed(1, 1)], body1())
    await expectFound(/repeats message 1, but is stored/, [keyed(2, 1, { send: 4 })], body1())
  })
  it('a repeat of what was never sent', async () => {
    await forge(engine.log, 0, [keyed(1, 1)], body1())
    await expectFound(/does not repeat message 1/, [repeated(1, 2)])
  })
  it('a repeat after the window', async () => {
    await forge(engine.log, 0, [keyed(1, 1)], body1())
    await expectFound(/does not repeat message 1/, [repeated(1, 1)], { at: scene.at + 300_000 })
  })
  it('a send that is answered twice', async () => {
    await forge(engine.log, 0, [keyed(1, 1), repeated(1, 1)], body1())
    await expectFound(/stored twice/, [repeated(1, 1)])
  })
  it('a message without a key', async () => {
    await expectFound(/no key each/, [keyed(1, 1, { keys: undefined })], body1())
  })
})

describe('a repeated receive that is not what the record says is found:', () => {
  const extended = (attempt: string): LogEvent => ({
    type: 'LeaseExtended',
    ...of(4),
    leaseUntil: scene.at + 40_000,
    attempt,
  })
  it('nothing where it is honest', async () => {
    await forge(engine.log, 0, [delivered(4, { attempt: 'a' }), extended('a')])
    expect(await verify(engine.log, { decodeCheckpoint })).toMatchObject({ ok: true })
  })
  it('another batch while the first is held', async () => {
    await forge(engine.log, 0, [enqueued(6), delivered(4, { attempt: 'a' })], oneBody())
    await expectFound(/gets another batch/, [delivered(6, { delivery: 3, attempt: 'a' })])
  })
  it('a repeated batch that was never delivered', async () => {
    await forge(engine.log, 0, [delivered(4, { attempt: 'a' })])
    await expectFound(/got nothing lately/, [extended('b')])
  })
})
