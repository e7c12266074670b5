import fc from 'fast-check'
import { snapshot, stateHash } from '@kiroku/partition'
import { decodeCheckpoint, startMemoryEngine, type MemoryEngine } from '@kiroku/testkit/engine'
import { expect, it } from 'vitest'
import { diffMoments } from './diffMoments.ts'
import { LogPass } from './LogPass.ts'
import { MemoryMoments } from './MemoryMoments.ts'
import type { MomentMessage } from './QueueMoment.ts'
import { stateAt } from './stateAt.ts'
import { ask, body, lastFrame, tester } from './TestRecord.ts'

/** What somebody does with the queue. */
const acts = fc.oneof(
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

const options = { decodeCheckpoint, now: Number.MAX_SAFE_INTEGER }

const live = async (engine: MemoryEngine, does: readonly { kind: string; n: number }[]): Promise<void> => {
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
  for (const { kind, n } of does)
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
}

/** Each message under each subscription, and how it stands. */
const standings = (messages: readonly MomentMessage[], subs: readonly string[]): Map<string, string> =>
  new Map(
    messages.flatMap(({ number, subscription, state, attempt }) =>
      (subscription === undefined ? subs : [subscription]).map(
        (sub) => [`${sub}/${number}`, `${state}/${attempt}`] as const,
      ),
    ),
  )

it('whatever happened, every moment is the same from anywhere, and two of them differ by what they show', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(acts, { minLength: 5, maxLength: 40 }),
      fc.nat(),
      fc.nat(),
      async (does, x, y) => {
        const engine = await startMemoryEngine({ partitions: 1 })
        try {
          await live(engine, does)
          const handle = await engine.log.partition(0)
          const { seq: lastSeq } = await lastFrame(engine.log, 0)
          const moments = new MemoryMoments()
          const keep = { work: 3, bytes: Infinity }
          const hashes = new Map<number, string>()
          const frame = ({ seq }: { seq: number }, state: LogPass['state']) =>
            void hashes.set(seq, stateHash(snapshot(state)))
          const pass = await LogPass.open(handle, { decodeCheckpoint, moments, keep, listeners: [{ frame }] })
          await pass.run()
          // A turn without an event moves the engine's time, and nothing else.
          const timeless = (state: LogPass['state']): string => stateHash({ ...snapshot(state), at: 0 })
          expect(timeless(pass.state)).toBe(timeless(engine.node().actors.get(0)!.state))
          for (const { seq } of await moments.list(0)) {
            const near = await LogPass.open(handle, { decodeCheckpoint, moments, near: seq })
            await near.run(Math.min(lastSeq, seq + 1))
            expect(stateHash(snapshot(near.state))).toBe(hashes.get(near.seq))
          }

          // Both behind the creation of queue and subscription.
          const [a, b] = [x, y].map((n) => lastSeq - (n % Math.max(1, lastSeq - 6))) as [number, number]
          const [one, two] = [
            await stateAt(engine.log, 'mail', { seq: a }, { ...options, moments, messagesMax: 1_000 }),
            await stateAt(engine.log, 'mail', { seq: b }, { ...options, messagesMax: 1_000 }),
          ]
          for (const { counts, messages, messagesTotal } of [one, two]) {
            expect(messagesTotal).toBe(messages.length)
            const live = counts.delayed + counts.available + counts.inflight + counts.waitingRetry
            expect(messagesTotal).toBe(live)
          }
          const paged: MomentMessage[] = []
          for (let after: string | undefined; ;) {
            const more = { ...options, messagesMax: 3, ...(after === undefined ? {} : { after }) }
            const page = await stateAt(engine.log, 'mail', { seq: a }, more)
            paged.push(...page.messages)
            after = page.next
            if (after === undefined) break
          }
          expect(paged).toEqual(one.messages)
          const states = ['Inflight', 'Delayed'] as const
          const some = await stateAt(
            engine.log,
            'mail',
            { seq: a },
            { ...options, states, messagesMax: 1_000 },
          )
          expect(some.messages).toEqual(one.messages.filter(({ state }) => states.some((s) => s === state)))
          expect(some.messagesTotal).toBe(some.messages.length)

          const subsOf = (moment: typeof one): string[] => moment.subscriptions.map(({ name }) => name)
          const [before, after] = [standings(one.messages, subsOf(one)), standings(two.messages, subsOf(two))]
          const diff = await diffMoments(engine.log, 'mail', { seq: a }, { seq: b }, { ...options, moments })
          const appeared = [...after.keys()].filter((key) => !before.has(key))
          const left = [...before.keys()].filter((key) => !after.has(key))
          const changed = [...after].filter(([key, how]) => before.has(key) && before.get(key) !== how)
          expect([diff.appeared.total, diff.left.total, diff.changed.total]).toEqual([
            appeared.length,
            left.length,
            changed.length,
          ])
        } finally {
          await engine.close()
        }
      },
    ),
    { seed: 20261122, numRuns: 25 },
  )
})
