import { KirokuError } from '@kiroku/protocol'
import { decodeCheckpoint, startMemoryEngine, type MemoryEngine } from '@kiroku/testkit/engine'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { SavedStateStore } from '../replay/SavedState.ts'
import { ask, lastFrame, send, tester } from '../testing/TestRecord.ts'
import type { Act } from './Act.ts'
import { readActs } from './readActs.ts'

let engine: MemoryEngine

beforeEach(async () => {
  engine = await startMemoryEngine({ partitions: 1 })
  await ask(engine, 0, { type: 'CreateQueue', queue: 'mail', config: {}, by: tester })
})
afterEach(() => engine.close())

const lastSeq = async () => (await lastFrame(engine.log, 0)).seq
const all = () => readActs(engine.log, {}, { decodeCheckpoint })

/** What an index answers that has read the whole log. */
const indexed = async () => ({ acts: await all(), reached: new Map([[0, await lastSeq()]]) })

it('what an index has not read yet is not replayed where it holds no acts', async () => {
  const known = await indexed()
  for (let i = 0; i < 20; i++) await send(engine, 0, 'mail', 'x')
  const moments: SavedStateStore = {
    list: () => Promise.reject(new Error('a replay begins')),
    get: () => Promise.resolve(undefined),
    put: () => Promise.resolve(),
    delete: () => Promise.resolve(),
  }
  expect(await readActs(engine.log, {}, { decodeCheckpoint, known, moments })).toEqual(known.acts)
})

it('acts that an index has not read yet are listed with what they changed', async () => {
  const known = await indexed()
  await send(engine, 0, 'mail', 'x')
  await ask(engine, 0, { type: 'PurgeQueue', queue: 'mail', by: tester })
  await send(engine, 0, 'mail', 'y')
  const told = await readActs(engine.log, {}, { decodeCheckpoint, known })
  expect(told).toEqual(await all())
  expect(told.map(({ event, before }: Act) => [event, before])).toEqual([
    ['QueuePurged', { messages: 1 }],
    ['QueueCreated', {}],
  ])
})

it('acts are listed although a partition is missing, which is named', async () => {
  const { log } = engine
  const known = await all()
  const lost = 'NATS has no stream KIROKU_main_1'
  const missing: unknown[] = []
  const withoutOne = {
    ...log,
    meta: { ...log.meta, partitions: 2 },
    partition: (n: number) =>
      n === 0 ? log.partition(0) : Promise.reject(new KirokuError('LogDamaged', lost)),
  }
  const onMissing = (each: unknown) => missing.push(each)
  expect(await readActs(withoutOne, {}, { decodeCheckpoint, onMissing })).toEqual(known)
  expect(missing).toEqual([{ partition: 1, problem: { seq: 0, id: 'LogDamaged', message: lost } }])
  await expect(readActs(withoutOne, {}, { decodeCheckpoint })).rejects.toThrow(lost)
})
