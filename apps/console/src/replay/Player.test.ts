import { encodeRecording, recordingOf } from '@kiroku/audit'
import { encodeEnvelope } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import { decodeCheckpoint, startMemoryEngine, type MemoryEngine } from '@kiroku/testkit/engine'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Player, type FetchRecording } from './Player.ts'

let engine: MemoryEngine

beforeEach(async () => {
  engine = await startMemoryEngine({ partitions: 1 })
  const by = { name: 'test', origin: 'test' }
  await engine.node().request(0, [{ type: 'CreateQueue', queue: 'mail', config: {}, by }])
  const messages = [encodeEnvelope(new TextEncoder().encode('text'))]
  for (let send = 1; send <= 30; send++) {
    await engine.node().request(0, [{ type: 'Enqueue', queue: 'mail', producer: 'tester', send, messages }])
    // Each has a time of its own, since a player shows whole milliseconds.
    const sentAtMs = Date.now()
    await waitUntil(() => Date.now() > sentAtMs)
  }
})
afterEach(() => engine.close())

const look = { decodeCheckpoint, now: Number.MAX_SAFE_INTEGER }

/** Recordings of a few frames each; those without a state wait until they are released, one after another. */
const slowRecordings = (): { readonly fetch: FetchRecording; readonly letGo: () => void } => {
  const waiting: (() => void)[] = []
  let underWay = 0
  return {
    fetch: async (partition, { from, withState }) => {
      const seq = Number(from.split('/')[1])
      if (!withState) await new Promise<void>((resolve) => waiting.push(resolve))
      underWay++
      try {
        const asked = { partition, seq }
        return encodeRecording(
          await recordingOf(engine.log, 'mail', asked, { ...look, withState, framesMax: 5 }),
        )
      } finally {
        underWay--
      }
    },
    letGo: () => {
      if (underWay === 0) waiting.shift()?.()
    },
  }
}

it('shows what has arrived and says that it reads ahead, however fast it plays', async () => {
  const { fetch, letGo } = slowRecordings()
  const player = new Player([0], fetch)
  const begun = await player.seek({ partition: 0, seq: 8 })
  const end = begun.at + 10 * 86_400_000
  let last = player.advance(end, 1_000)
  expect(last.isReading).toBe(true)
  expect(last.at).toBeLessThan(end)
  const shown: number[] = []
  await waitUntil(() => {
    letGo()
    last = player.advance(end, 1_000)
    shown.push(last.seqs[0]!)
    return last.isEnd
  })
  expect(last.isReading).toBe(false)
  expect(shown).toEqual(shown.toSorted((a, b) => a - b))
  expect(new Set(shown).size).toBeGreaterThan(2)
  expect(last.queues[0]!.counts.sent).toBe(30)
})

it('fails at its position when the record cannot be read, and continues afterwards', async () => {
  let isBroken = true
  const { fetch } = slowRecordings()
  const player = new Player([0], (partition, asked) => {
    if (asked.withState || !isBroken) return fetch(partition, { ...asked, withState: true })
    return Promise.reject(new Error('the engine is away'))
  })
  const { at } = await player.seek({ partition: 0, seq: 8 })
  await waitUntil(() => {
    try {
      player.advance(at + 86_400_000, 1)
      return false
    } catch (error) {
      return (error as Error).message === 'the engine is away'
    }
  })
  isBroken = false
  expect(player.advance(at + 86_400_000, 1).at).toBeGreaterThanOrEqual(at)
})
