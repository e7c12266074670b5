import { encodeEnvelope, messageId, type EnvelopeMeta } from '@kiroku/protocol'
import { startMemoryEngine, type MemoryEngine } from '@kiroku/testkit/engine'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ask, receive, tester } from '../testing/TestRecord.ts'
import { trace } from '../trace/trace.ts'
import { bodyOf } from './bodyOf.ts'

let engine: MemoryEngine
let dead: number

beforeEach(async () => {
  engine = await startMemoryEngine({ partitions: 2 })
  dead = (await ask(engine, 1, { type: 'CreateQueue', queue: 'dead', config: {}, by: tester })).queue
})
afterEach(() => engine.close())

const create = async (config: object = {}) => {
  const deadLetter = { name: 'dead', partition: 1, queue: dead }
  const made = { type: 'CreateQueue', queue: 'mail', config: { deadLetter, ...config }, by: tester } as const
  return (await ask(engine, 0, made)).queue
}
const send = async (queue: number, text: string, meta: EnvelopeMeta = {}) => {
  const messages = [encodeEnvelope(new TextEncoder().encode(text), meta)]
  await ask(engine, 0, { type: 'Enqueue', queue: 'mail', producer: 'tester', send: 1, messages })
  return messageId({ incarnation: 'memory', partition: 0, queue, number: 1 })
}
const look = async (id: string) => {
  const { body, ...rest } = await bodyOf(engine.log, await trace(engine.log, id))
  return { text: new TextDecoder().decode(body), ...rest }
}

it('the body of a message is found with its attributes, also after the message moved', async () => {
  const meta = { attributes: { a: 'b' }, contentType: 'application/json', tag: 'eu', traceparent: '00-1' }
  const id = await send(await create(), '{"n":12345678901234567890}', meta)
  const sent = await look(id)
  expect(sent).toEqual({ text: '{"n":12345678901234567890}', meta, enqueuedAt: expect.any(Number) as number })
  const { items } = await receive(engine, 0, 'mail')
  await ask(engine, 0, { type: 'DeadLetter', items, error: 'no such city' })
  await receive(engine, 1, 'dead', 1, 5_000)
  const letter = await look(id)
  expect(letter).toMatchObject({ text: sent.text, enqueuedAt: sent.enqueuedAt })
  expect(letter.meta.lineage).toMatchObject({ queue: 'mail', error: 'no such city' })
})

it('a body whose key was erased says so, and shows nothing', async () => {
  const queue = await create({ erasable: 'message' })
  const id = await send(queue, 'a secret', { attributes: { to: 'ada' } })
  expect(await look(id)).toMatchObject({ text: 'a secret', meta: { attributes: { to: 'ada' } } })
  const by = { ...tester, reason: 'asked for' }
  await ask(engine, 0, { type: 'Erase', queue: 'mail', message: { queue, number: 1 }, by })
  expect(await look(id)).toMatchObject({ text: '', meta: {}, unreadable: 'erased' })
})

it('a body that the record no longer holds is reported as trimmed', async () => {
  const id = await send(await create(), 'long ago')
  const partition = await engine.log.partition(0)
  const { items } = await receive(engine, 0, 'mail')
  const { lastSeq } = await partition.state()
  await ask(engine, 0, { type: 'Ack', items })
  await partition.trim(lastSeq)
  expect(await look(id)).toEqual({ text: '', meta: {}, unreadable: 'trimmed' })
})
