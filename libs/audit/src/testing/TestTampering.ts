import { type FrameContent } from '@kiroku/log'
import type { LogEvent } from '@kiroku/protocol'
import { decodeCheckpoint, startMemoryEngine, type MemoryEngine } from '@kiroku/testkit/engine'
import { afterEach, beforeEach, expect } from 'vitest'
import { verify } from '../verify/verify.ts'
import { ask, body, forge, lastFrame, receive, tester } from './TestRecord.ts'

/** What the honest part of the record left behind: message 1 committed, 2 leased, 3 ready, 4 delayed, 5 pausing. */
export interface Scene {
  readonly at: number
  readonly mail: number
  readonly dead: number
  /** An empty queue that deduplicates. */
  readonly once: number
  readonly leaseUntil: number
  readonly delayedUntil: number
  readonly pausedUntil: number
}

/** The engine whose log is tampered with; it is closed already. */
export let engine: MemoryEngine
/** Its log, and the current time. */
export let scene: Scene

/** Writes an honest record before each test. */
export const withHonestRecord = (): void => {
  beforeEach(async () => {
    engine = await startMemoryEngine({ partitions: 2 })
    const dead = await ask(engine, 1, { type: 'CreateQueue', queue: 'dead', config: {}, by: tester })
    const deadLetter = { name: 'dead', partition: 1, queue: dead.queue }
    const config = { retriesMax: 1, deadLetter, leaseMs: 30_000, leaseCapMs: 60_000 }
    const mail = await ask(engine, 0, { type: 'CreateQueue', queue: 'mail', config, by: tester })
    const dedup = { dedup: 'id' } as const
    const once = await ask(engine, 0, { type: 'CreateQueue', queue: 'once', config: dedup, by: tester })
    const enqueue = { type: 'Enqueue', queue: 'mail', producer: 'p' } as const
    await ask(engine, 0, { ...enqueue, send: 1, messages: [body('a'), body('b'), body('e')] })
    const { items } = await receive(engine, 0, 'mail', 3)
    const item = (n: number) => [{ ...items[0]!, numbers: [n, 1] }]
    await ask(engine, 0, { type: 'Ack', items: item(1) })
    await ask(engine, 0, { type: 'Retry', items: item(3), delayMs: 100_000 })
    await ask(engine, 0, { ...enqueue, send: 2, messages: [body('c'), body('d')], delaysMs: [0, 200_000] })
    await engine.close()
    const { at } = await lastFrame(engine.log, 0)
    scene = {
      at,
      mail: mail.queue,
      dead: dead.queue,
      once: once.queue,
      leaseUntil: at + 30_000,
      delayedUntil: at + 200_000,
      pausedUntil: at + 100_000,
    }
  })
  afterEach(() => engine.close())
}

/** Plants a frame in partition 0 and expects it to be reported as the first wrong one, for this reason. */
export const expectFound = async (
  reason: RegExp,
  events: readonly LogEvent[],
  content?: Partial<FrameContent>,
) => {
  const seq = await forge(engine.log, 0, events, content)
  const { ok, partitions } = await verify(engine.log, { decodeCheckpoint })
  expect(partitions[0]!.problem).toMatchObject({ seq, message: expect.stringMatching(reason) })
  expect(ok).toBe(false)
}
export const of = (n: number, count = 1) => ({ queue: scene.mail, sub: 0, numbers: [n, count] })
export const held = (until: number): LogEvent => ({
  type: 'DeliveryHeld',
  queue: scene.mail,
  sub: 0,
  until,
  error: '',
})
export const deferred = (n: number, dueAt: number): LogEvent => ({
  type: 'Deferred',
  ...of(n),
  dueAt,
  error: '',
})
export const delivered = (n: number, change: object = {}): LogEvent => ({
  type: 'Delivered',
  ...of(n),
  delivery: 2,
  leaseUntil: scene.at + 30_000,
  leaseCap: scene.at + 60_000,
  attemptsMax: 2,
  mode: 'push',
  consumer: 'forger',
  ...change,
})
export const enqueued = (first: number, change: object = {}): LogEvent => ({
  type: 'Enqueued',
  queue: scene.mail,
  first,
  count: 1,
  dueAt: 0,
  bytes: 2,
  producer: 'p',
  send: 3,
  ...change,
})
export const revised = (type: 'Recalled' | 'Rescheduled', number: number, change: object = {}): LogEvent =>
  ({ type, queue: scene.mail, number, producer: 'r', send: 1, by: tester, ...change }) as LogEvent
export const oneBody = () => ({ sections: [{ queue: scene.mail, bodies: [body('x')] }] })
