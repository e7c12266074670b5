import { snapshot, stateHash } from '@kiroku/partition'
import { decodeCheckpoint, startMemoryEngine } from '@kiroku/testkit/engine'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Replay } from '../replay/Replay.ts'
import { MemorySavedStates } from '../testing/MemorySavedStates.ts'
import { acts, live } from '../testing/TestLives.ts'
import { lastFrame } from '../testing/TestRecord.ts'
import type { MomentMessage } from './QueueMoment.ts'
import { diffMoments } from './diffMoments.ts'
import { stateAt } from './stateAt.ts'

const options = { decodeCheckpoint, now: Number.MAX_SAFE_INTEGER }

/** Each message under each subscription, with its state. */
const standings = (messages: readonly MomentMessage[], subs: readonly string[]): Map<string, string> =>
  new Map(
    messages.flatMap(({ number, subscription, state, attempt }) =>
      (subscription === undefined ? subs : [subscription]).map(
        (sub) => [`${sub}/${number}`, `${state}/${attempt}`] as const,
      ),
    ),
  )

it('whatever happened, a moment is the same from wherever it is reached, and two moments differ by what they show', async () => {
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
          const moments = new MemorySavedStates()
          const keep = { work: 3, bytes: Infinity }
          const hashes = new Map<number, string>()
          const frame = ({ seq }: { seq: number }, state: Replay['state']) =>
            void hashes.set(seq, stateHash(snapshot(state)))
          const pass = await Replay.open(handle, { decodeCheckpoint, moments, keep, listeners: [{ frame }] })
          await pass.run()
          // A turn without an event moves the engine's time, and nothing else.
          const timeless = (state: Replay['state']): string => stateHash({ ...snapshot(state), at: 0 })
          expect(timeless(pass.state)).toBe(timeless(engine.node().actors.get(0)!.state))
          for (const { seq } of await moments.list(0)) {
            const near = await Replay.open(handle, { decodeCheckpoint, moments, near: seq })
            await near.run(Math.min(lastSeq, seq + 1))
            expect(stateHash(snapshot(near.state))).toBe(hashes.get(near.seq))
          }

          // Both after the creation of queue and subscription.
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
