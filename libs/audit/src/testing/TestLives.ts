import type { MemoryEngine } from '@kiroku/testkit/engine'
import fc from 'fast-check'
import { ask, body, tester } from './TestRecord.ts'

/** A step of a generated life of the queue. */
export const acts = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('send' as const), n: fc.integer({ min: 1, max: 5 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('receive' as const), n: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('Ack' as const, 'Retry' as const, 'Release' as const),
      n: fc.nat(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('delay' as const), n: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('purge' as const, 'restart' as const), n: fc.nat() }),
  },
)

/** Runs all steps on a queue of ordered groups and two subscriptions; calls `after` each. */
export const live = async (
  engine: MemoryEngine,
  does: readonly { kind: string; n: number }[],
  after: () => Promise<void> = () => Promise.resolve(),
): Promise<void> => {
  const held: { queue: number; sub: number; delivery: number; numbers: number[] }[] = []
  const groups = (count: number) => Array.from({ length: count }, (_, i) => `g${i % 3}`)
  let send = 0
  await ask(engine, 0, { type: 'CreateQueue', queue: 'mail', config: { groups: 'ordered' }, by: tester })
  await ask(engine, 0, {
    type: 'CreateSubscription',
    queue: 'mail',
    subscription: 'other',
    settings: {},
    by: tester,
  })
  for (const { kind, n } of does) {
    switch (kind) {
      case 'send':
      case 'delay': {
        const messages = Array.from({ length: n }, () => body('x'))
        const delaysMs = messages.map(() => (kind === 'delay' ? 3_600_000 : 0))
        const producer = 'p'
        const enqueue = { type: 'Enqueue', queue: 'mail', producer, send: ++send, messages } as const
        await ask(engine, 0, { ...enqueue, delaysMs, groups: groups(n) })
        break
      }
      case 'receive': {
        const receive = { type: 'Receive', queue: 'mail', poll: `poll-${++send}`, max: n, waitMs: 0 } as const
        const subscription = n % 2 === 0 ? 'main' : 'other'
        const { delivery } = await ask(engine, 0, { ...receive, subscription, mode: 'push', consumer: 'c' })
        if (delivery === undefined) break
        const { queue, sub } = delivery
        for (let i = 0; i < delivery.numbers.length; i += 2)
          for (let m = 0; m < delivery.numbers[i + 1]!; m++)
            held.push({ queue, sub, delivery: delivery.delivery, numbers: [delivery.numbers[i]! + m, 1] })
        break
      }
      case 'Ack':
      case 'Retry':
      case 'Release': {
        const [item] = held.length === 0 ? [] : held.splice(n % held.length, 1)
        if (item !== undefined) await ask(engine, 0, { type: kind, items: [item] })
        break
      }
      case 'purge':
        await ask(engine, 0, { type: 'PurgeQueue', queue: 'mail', by: tester })
        break
      case 'restart':
        await engine.restart()
    }
    await after()
  }
}
