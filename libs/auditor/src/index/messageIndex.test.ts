import { parseFilter, readActs, trace, type OnProgress } from '@kiroku/audit'
import { countsOf } from '@kiroku/partition'
import {
  type Answers,
  type Command,
  type CommandType,
  encodeEnvelope,
  messageId,
  stateNames,
} from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import { decodeCheckpoint, startMemoryEngine, type MemoryEngine } from '@kiroku/testkit/engine'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readHistory } from '../history/readHistory.ts'
import { openIndexToWrite } from './IndexDatabase.ts'
import { IndexFollower } from './IndexFollower.ts'
import { IndexIngest } from './IndexIngest.ts'
import { IndexWriter } from './IndexWriter.ts'
import { actsOf } from './actsOf.ts'
import { searchIndex } from './searchIndex.ts'
import { traceIndex } from './traceIndex.ts'

const by = { name: 'ann', origin: 'cli test', reason: 'to try it' }
const encoder = new TextEncoder()
let engine: MemoryEngine
let writer: IndexWriter
let followers: IndexFollower[]
let sends = 0

const ask = async <T extends CommandType>(
  partition: number,
  command: Extract<Command, { type: T }>,
): Promise<Answers[T]> => {
  const { ok, error } = (await engine.node().request(partition, [command])).answers[0]!
  if (error !== undefined) throw new Error(`${error.id}: ${error.message}`)
  return ok as Answers[T]
}

const create = (queue: string, config: Record<string, unknown> = {}, partition = 0) =>
  ask(partition, { type: 'CreateQueue', queue, config, by })

const send = (queue: string, values: readonly unknown[], options: { group?: string; tag?: string } = {}) =>
  ask(0, {
    type: 'Enqueue',
    queue,
    producer: 'tester',
    send: ++sends,
    messages: values.map((value) =>
      encodeEnvelope(encoder.encode(JSON.stringify(value)), { attributes: { region: 'eu' }, ...options }),
    ),
    ...(options.tag === undefined ? {} : { tags: values.map(() => options.tag!) }),
  })

const receive = async (queue: string, max = 10, partition = 0, subscription?: string) => {
  const { delivery } = await ask(partition, {
    type: 'Receive',
    queue,
    poll: `poll-${++sends}`,
    max,
    waitMs: partition === 0 ? 0 : 5_000,
    mode: 'push',
    consumer: 'worker-1',
    ...(subscription === undefined ? {} : { subscription }),
  })
  return delivery
}

const open = async () => {
  writer = new IndexWriter(openIndexToWrite(undefined))
  followers = []
  for (let n = 0; n < engine.log.meta.partitions; n++)
    followers.push(new IndexFollower(n, { log: engine.log, writer, decodeCheckpoint }))
}
const catchUp = async () => {
  for (const follower of followers) await follower.run()
}
const search = (filter: string, options: { limit?: number; cursor?: string } = {}) =>
  searchIndex(writer.database, parseFilter(filter, engine.node().actors.get(0)!.state.at), {
    incarnation: 'memory',
    ...options,
  })
const found = (filter: string): string[] =>
  search(filter)
    .messages.map(({ queue, number, subscription }) => `${queue}/${subscription} ${number}`)
    .sort()

beforeEach(async () => {
  engine = await startMemoryEngine({ partitions: 2, checkpoints: { bytesMin: 1e9, ageMs: 1e9 } })
  await open()
})
afterEach(() => engine.close())

describe('the index of messages', () => {
  it('finds messages by what happened to them, where they went and where they came from', async () => {
    const { queue: dead } = await create('dead', {}, 1)
    const deadLetter = { name: 'dead', partition: 1, queue: dead }
    await create('mail', { retriesMax: 0, deadLetter, indexBody: 'on' })
    await create('other')
    await send('mail', [{ user: { id: 42 } }, { user: { id: 7 }, items: [{ sku: 'A-1' }] }], {
      tag: 'urgent',
    })
    await send('other', [{ user: { id: 42 } }])
    await catchUp()
    expect(found('state:available')).toEqual(['mail/main 1', 'mail/main 2', 'other/main 1'])
    const first = (await receive('mail', 1))!
    const item = { queue: first.queue, sub: 0, delivery: first.delivery }
    await ask(0, { type: 'Retry', items: [{ ...item, numbers: [1, 1] }], error: 'timed out after 30 s' })
    await receive('dead', 1, 1)
    await catchUp()
    expect(found('state:dlq')).toEqual(['mail/main 1'])
    expect(found('state:dlq error:"timed out" reason:retry attempt:1')).toEqual(['mail/main 1'])
    expect(found('error:other')).toEqual([])
    const [deadLettered] = search('state:dlq').messages
    expect(found(`fingerprint:${deadLettered!.fingerprint}`)).toEqual(['mail/main 1'])
    expect(deadLettered).toMatchObject({ error: 'timed out after 30 s', consumer: 'worker-1', tag: 'urgent' })
    expect(found('queue:dead state:inflight')).toEqual(['dead/main 1'])
    expect(found(`id:${deadLettered!.messageId}`)).toEqual(['dead/main 1', 'mail/main 1'])
    expect(found('payload.user.id:42')).toEqual(['dead/main 1', 'mail/main 1'])
    expect(found('payload.items.sku:a-1 payload.user.id:<8')).toEqual(['mail/main 2'])
    expect(found('queue:mail -payload.user.id:42')).toEqual(['mail/main 2'])
    expect(search('payload.user.id:42').bodiesNotIndexed).toEqual(['other'])
    expect(search('queue:mail payload.user.id:42').bodiesNotIndexed).toEqual([])
    expect(found('attr.region:EU tag:urgent queue:mail')).toEqual(['mail/main 1', 'mail/main 2'])
    expect(search('state:dlq').reached.map(({ partition }) => partition)).toEqual([0, 1])
  })

  it('finds nothing where a name is nobody’s, whatever else is asked for', async () => {
    await create('mail')
    await send('mail', [1])
    await catchUp()
    const [message] = search('queue:mail').messages
    for (const place of ['state:available', 'state:dlq', `id:${message!.messageId}`, 'group:a', 'error:x'])
      for (const nobody of ['queue:nosuch', 'subscription:nosuch', 'tag:nosuch', 'consumer:nosuch'])
        expect(found(`${place} ${nobody}`), `${place} ${nobody}`).toEqual([])
  })

  it('finds dead letters by their bodies whichever partition it reads first', async () => {
    const { queue: dead } = await create('dead', {}, 1)
    await create('mail', { deadLetter: { name: 'dead', partition: 1, queue: dead }, indexBody: 'on' })
    await send('mail', [{ n: 1 }])
    const { queue, delivery, numbers } = (await receive('mail'))!
    await ask(0, { type: 'DeadLetter', items: [{ queue, sub: 0, delivery, numbers }], error: 'no' })
    await receive('dead', 1, 1)
    followers.reverse()
    await catchUp()
    expect(found('payload.n:1')).toEqual(['dead/main 1', 'mail/main 1'])
    expect(search('payload.n:1').bodiesNotIndexed).toEqual([])
  })

  it('knows nothing of the bodies of a queue that hides them, neither of old ones nor of those that come to it', async () => {
    const { queue: dead } = await create('dead', { bodyHidden: 'on' }, 1)
    await create('mail', { deadLetter: { name: 'dead', partition: 1, queue: dead }, indexBody: 'on' })
    await send('mail', [{ n: 1 }, { n: 2 }])
    const { queue, delivery } = (await receive('mail', 1))!
    await ask(0, { type: 'DeadLetter', items: [{ queue, sub: 0, delivery, numbers: [1, 1] }], error: 'no' })
    await receive('dead', 1, 1)
    await catchUp()
    expect(found('payload.n:1')).toEqual(['mail/main 1'])
    expect(search('queue:dead payload.n:1').bodiesNotIndexed).toEqual(['dead'])
    const config = { indexBody: 'off', bodyHidden: 'on' } as const
    await ask(0, { type: 'ConfigureQueue', queue: 'mail', config, by: { name: 'bob', origin: 'http' } })
    await catchUp()
    expect(found('payload.n:1')).toEqual([])
    expect(found('payload.n:2')).toEqual([])
    expect(found('queue:mail')).toEqual(['mail/main 1', 'mail/main 2'])
  })

  it('hands out all that it found, a page at a time', async () => {
    await create('mail')
    for (let i = 0; i < 5; i++)
      await send(
        'mail',
        Array.from({ length: 20 }, (_, n) => n),
      )
    await catchUp()
    const seen: number[] = []
    let cursor: string | undefined
    do {
      const answer = search('queue:mail', { limit: 17, ...(cursor === undefined ? {} : { cursor }) })
      seen.push(...answer.messages.map(({ number }) => number))
      cursor = answer.cursor
    } while (cursor !== undefined)
    expect(seen).toHaveLength(100)
    expect(new Set(seen).size).toBe(100)
    expect(() => search('', { cursor: 'x' })).toThrow('no cursor')
    expect(() => search('', { limit: 0 })).toThrow('limit')
  })

  it('knows of every administrative act who did it, and what it changed', async () => {
    await create('mail')
    await ask(0, { type: 'ConfigureQueue', queue: 'mail', config: { leaseMs: 9_000 }, by })
    await send('mail', [1, 2])
    await ask(0, { type: 'PurgeQueue', queue: 'mail', by: { name: 'bob', origin: 'http' } })
    await catchUp()
    const acts = actsOf(writer.database, {})
    expect(acts.map(({ event }) => event)).toEqual(['QueuePurged', 'QueueConfigured', 'QueueCreated'])
    expect(acts[2]!.after).toEqual({})
    expect(acts[0]).toMatchObject({ queue: 'mail', before: { messages: 2 }, after: { messages: 0 } })
    expect(acts[1]).toMatchObject({ by, before: {}, after: { leaseMs: 9_000 } })
    expect(actsOf(writer.database, { actor: 'bob' })).toEqual([acts[0]])
    expect(await readActs(engine.log, {}, { decodeCheckpoint })).toEqual(acts)
    expect(found('reason:purged')).toEqual(['mail/main 1', 'mail/main 2'])
  })

  it('begins in the middle of a record with what waits there', async () => {
    await create('mail')
    await send('mail', [1, 2, 3])
    await receive('mail', 1)
    const { state } = engine.node().actors.get(0)!
    new IndexIngest(writer, 0, () => Promise.resolve(undefined)).seed(state, state.frameSeq)
    writer.flush()
    const asked = { from: state.at, to: state.at + 1_000, buckets: 1, byQueue: false }
    const ends = { now: state.at + 1_000, lastSeqs: new Map<number, number>() }
    const read = (queue?: string) =>
      readHistory(writer.database, { ...asked, ...(queue === undefined ? {} : { queue }) }, ends)
    expect(read('mail')).toMatchObject({ waitingBefore: 3, buckets: [] })
    expect(read()).toMatchObject({ waitingBefore: 3, buckets: [] })
  })

  it('is built anew where it does not fit the log', async () => {
    await create('mail')
    await send('mail', [1])
    await catchUp()
    const reached = writer.reached(0)!
    writer.reach(0, { ...reached, hash: new Uint8Array(32) })
    writer.database.exec('DELETE FROM messages')
    followers = [new IndexFollower(0, { log: engine.log, writer, decodeCheckpoint })]
    await send('mail', [2])
    await catchUp()
    expect(found('queue:mail')).toEqual(['mail/main 1', 'mail/main 2'])
  })
})

/** Any step of a world with queues, subscriptions, dead letters and administrators. */
const steps = fc.array(
  fc.record({
    kind: fc.constantFrom(
      'send',
      'send',
      'send',
      'delayed',
      'receive',
      'receive',
      'ack',
      'ack',
      'retry',
      'retry',
      'release',
      'purge',
      'subscribe',
      'reset',
      'configure',
      'deadReceive',
      'index',
      'pause',
    ),
    count: fc.integer({ min: 1, max: 40 }),
  }),
  { minLength: 5, maxLength: 60 },
)

describe('whatever happens', () => {
  it('the index counts what the engine counts, and a trace by index is the trace without it', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (plan) => {
        await engine.close()
        engine = await startMemoryEngine({ partitions: 2, checkpoints: { bytesMin: 1e9, ageMs: 1e9 } })
        await open()
        const { queue: dead } = await create('dead', {}, 1)
        const mail = await create('mail', {
          retriesMax: 1,
          deadLetter: { name: 'dead', partition: 1, queue: dead },
        })
        const held: { queue: number; sub: number; delivery: number; numbers: number[] }[] = []
        let subs = 0
        for (const { kind, count } of plan) await step(kind, count)
        await catchUp()
        check()
        checkHistory()
        await checkTraces()

        async function step(kind: string, count: number): Promise<void> {
          const values = Array.from({ length: count }, (_, n) => ({ n }))
          switch (kind) {
            case 'send':
              return void (await send(
                'mail',
                values,
                count % 3 === 0 ? { tag: 't', group: `g${count}` } : {},
              ))
            case 'delayed':
              return void (await ask(0, {
                type: 'Enqueue',
                queue: 'mail',
                producer: 'tester',
                send: ++sends,
                delayMs: 3,
                messages: [encodeEnvelope(encoder.encode('1'))],
              }))
            case 'receive':
            case 'deadReceive': {
              const isDead = kind === 'deadReceive'
              if (isDead && engine.node().actors.get(1)!.state.queues.get(dead)!.subs[0]!.deliverable === 0)
                return
              const delivery = await receive(isDead ? 'dead' : 'mail', count, isDead ? 1 : 0)
              if (delivery === undefined) return
              const { queue, numbers } = delivery
              if (!isDead)
                held.push({ queue, sub: delivery.sub, delivery: delivery.delivery, numbers: [...numbers] })
              return
            }
            case 'ack':
            case 'retry':
            case 'release': {
              const item = held.shift()
              if (item === undefined) return
              const items = [item]
              if (kind === 'ack') await ask(0, { type: 'Ack', items })
              else if (kind === 'retry') await ask(0, { type: 'Retry', items, error: `error ${count}` })
              else await ask(0, { type: 'Release', items })
              return
            }
            case 'purge':
              if (count > 30) await ask(0, { type: 'PurgeQueue', queue: 'mail', by })
              return
            case 'subscribe':
              if (subs < 2)
                await ask(0, {
                  type: 'CreateSubscription',
                  queue: 'mail',
                  subscription: `s${++subs}`,
                  settings: {},
                  by,
                })
              return
            case 'reset':
              if (subs > 0 && count > 20)
                await ask(0, { type: 'ResetSubscription', queue: 'mail', subscription: 's1', by })
              return
            case 'configure':
              return void (await ask(0, {
                type: 'ConfigureQueue',
                queue: 'mail',
                config: { retriesMax: count % 3, deadLetter: { name: 'dead', partition: 1, queue: dead } },
                by,
              }))
            case 'index':
              return catchUp()
            case 'pause':
              return void (await waitUntil(
                () => engine.node().actors.get(0)!.state.queues.get(mail.queue)!.delayed === 0,
              ))
          }
        }

        function check(): void {
          for (const n of [0, 1])
            for (const queue of engine.node().actors.get(n)!.state.queues.values())
              for (const sub of queue.subs) {
                const rows = writer.database
                  .prepare(
                    `SELECT m.state, count(*) AS count FROM messages m JOIN streams s ON s.id = m.stream
                      JOIN queues q ON q.id = s.queue WHERE q.partition = ? AND q.queue = ? AND s.sub = ? GROUP BY m.state`,
                  )
                  .all(n, queue.id, sub.id)
                const counts = Object.fromEntries(
                  rows.map((row) => [stateNames[row['state'] as number]!, row['count']]),
                )
                const {
                  Available = 0,
                  Inflight = 0,
                  WaitingRetry = 0,
                  Committed = 0,
                  DLQ = 0,
                  Discarded = 0,
                } = counts
                expect({ Available, Inflight, WaitingRetry, Committed, DLQ, Discarded }).toEqual({
                  Available: sub.ready + sub.available,
                  Inflight: sub.inflight,
                  WaitingRetry: sub.waitingRetry,
                  Committed: sub.committed,
                  DLQ: sub.deadLettered,
                  Discarded: sub.discarded,
                })
              }
        }

        function checkHistory(): void {
          for (const step of [1_000, 10_000, 300_000])
            for (const n of [0, 1])
              for (const queue of engine.node().actors.get(n)!.state.queues.values()) {
                const counts = countsOf(queue)
                const counted = writer.database
                  .prepare(
                    `SELECT total(sent) AS sent, total(committed) AS committed, total(deadLettered) AS deadLettered,
                      total(discarded) AS discarded, total(redelivered) AS redelivered, total(waiting) AS waiting
                      FROM history h JOIN queues q ON q.id = h.queue WHERE h.step = ? AND q.partition = ? AND q.queue = ?`,
                  )
                  .get(step, n, queue.id)
                const { sent, committed, deadLettered, discarded, redelivered } = counts
                const waiting = counts.available + counts.inflight + counts.waitingRetry
                expect({ ...counted }).toEqual({
                  ...{ sent, committed, deadLettered, discarded, redelivered, waiting },
                })
              }
        }

        async function checkTraces(): Promise<void> {
          const index = traceIndex(writer.database)
          for (const [partition, queue] of [
            [0, mail.queue],
            [1, dead],
          ] as const) {
            const { nextNumber } = engine.node().actors.get(partition)!.state.queues.get(queue)!
            const every = Math.max(1, Math.floor(nextNumber / 10))
            for (let number = 1; number < nextNumber; number += every) {
              const id = messageId({ incarnation: 'memory', partition, queue, number })
              let read = 0
              const onProgress: OnProgress = () => void read++
              expect(await trace(engine.log, id, { index, onProgress })).toEqual(await trace(engine.log, id))
              expect(read).toBe(0)
            }
          }
        }
      }),
      { seed: 20_261_122, numRuns: 40 },
    )
  })
})
