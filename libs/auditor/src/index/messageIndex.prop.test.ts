import { trace, type OnProgress } from '@kiroku/audit'
import { countsOf } from '@kiroku/partition'
import { encodeEnvelope, messageId, stateNames } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { traceIndex } from './traceIndex.ts'
import {
  ask,
  begin,
  by,
  catchUp,
  create,
  encoder,
  engine,
  nextSend,
  receive,
  send,
  withIndexedEngine,
  writer,
} from '../testing/TestIndex.ts'

withIndexedEngine()

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
  it('the index counts what the engine counts, and a trace by index equals the trace without it', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (plan) => {
        await engine.close()
        await begin()
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
                send: nextSend(),
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
