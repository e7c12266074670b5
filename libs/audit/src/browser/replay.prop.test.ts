import { snapshot, stateHash } from '@kiroku/partition'
import { decodeCheckpoint, startMemoryEngine, type MemoryEngine } from '@kiroku/testkit/engine'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { recordingOf, type RecordingOptions } from '../past/recordingOf.ts'
import { stateAt } from '../past/stateAt.ts'
import { Replay } from '../replay/Replay.ts'
import { acts, live } from '../testing/TestLives.ts'
import { ask, body, lastFrame, send, tester } from '../testing/TestRecord.ts'
import { Replayer } from './Replayer.ts'
import { encodeRecording } from './recordingBytes.ts'

const look = { decodeCheckpoint, now: Number.MAX_SAFE_INTEGER }

const record = async (engine: MemoryEngine, seq: number, more: Partial<RecordingOptions> = {}) =>
  encodeRecording(await recordingOf(engine.log, 'mail', { seq }, { ...look, ...more }))

/** Commands that create and delete queues and subscriptions. */
const administer = async (engine: MemoryEngine): Promise<void> => {
  const about = { queue: 'mail', subscription: 'other', by: tester }
  await ask(engine, 0, { type: 'ResetSubscription', ...about, start: 'latest' })
  await ask(engine, 0, { type: 'CreateQueue', queue: 'once', config: { dedup: 'id' }, by: tester })
  const dedupIds = ['one', 'two', 'one']
  const messages = dedupIds.map(body)
  await ask(engine, 0, { type: 'Enqueue', queue: 'once', producer: 'q', send: 1, messages, dedupIds })
  await ask(engine, 0, { type: 'DeleteSubscription', ...about })
  await ask(engine, 0, { type: 'DeleteQueue', queue: 'mail', by: tester })
  await ask(engine, 0, { type: 'CreateQueue', queue: 'mail', config: {}, by: tester })
  await send(engine, 0, 'mail', 'again')
}

it('a replay shows at every place what the server shows there, whatever the way to it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(acts, { minLength: 5, maxLength: 40 }),
      fc.array(fc.nat(), { minLength: 6, maxLength: 6 }),
      fc.integer({ min: 1, max: 30 }),
      fc.boolean(),
      async (does, places, framesMax, isAdministered) => {
        const engine = await startMemoryEngine({ partitions: 1 })
        try {
          await live(engine, does)
          if (isAdministered) await administer(engine)
          const { seq: lastSeq } = await lastFrame(engine.log, 0)
          const hashes = new Map<number, string>()
          const frame = ({ seq }: { seq: number }, state: Replay['state']) =>
            void hashes.set(seq, stateHash(snapshot(state)))
          await (
            await Replay.open(await engine.log.partition(0), { decodeCheckpoint, listeners: [{ frame }] })
          ).run()
          const first = await record(engine, 4, { withState: true, framesMax })
          const replayer = Replayer.open(first, { keyframeWork: 5 })
          expect(replayer.position.seq).toBe(4)
          while (!replayer.reachesEnd) replayer.extend(await record(engine, replayer.next, { framesMax }))
          expect(replayer.range.to.seq).toBe(lastSeq)
          for (const place of places) {
            const asked = 4 + (place % (lastSeq - 3))
            const { seq } =
              place % 3 === 0 ? (replayer.step(-1) ?? replayer.position) : replayer.seek({ seq: asked })
            expect(replayer.hash).toBe(hashes.get(seq))
            const there = await stateAt(engine.log, 'mail', { seq }, look).catch(() => undefined)
            const { messages, messagesTotal, next: _, ...overview } = there ?? {}
            const { population: __, ...shown } = replayer.queue('mail') ?? { population: {} }
            expect(shown).toEqual(overview)
            expect(replayer.messages('mail')?.messages).toEqual(messages)
            expect(replayer.messages('mail')?.total).toEqual(messagesTotal)
          }
        } finally {
          await engine.close()
        }
      },
    ),
    { seed: 20261122, numRuns: 25 },
  )
})
