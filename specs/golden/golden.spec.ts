import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeRecording, Replay, recordingOf, spanOf, trace, verify } from '@kiroku/audit'
import { Replayer } from '@kiroku/audit/browser'
import { decodeCheckpoint, liveTime } from '@kiroku/engine'
import { decodeRecord, encodeRecord, type MemoryLog } from '@kiroku/log'
import { snapshot, stateHash } from '@kiroku/partition'
import type { LogEvent } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { Engine } from '../harness/index.ts'
import { corpusNames, readCorpus } from './readCorpus.ts'

/** What each corpus comes to; a change here means that old records are read as something else than they were. */
const expected = JSON.parse(readFileSync(join(import.meta.dirname, 'hashes.json'), 'utf8')) as Record<
  string,
  readonly string[]
>

/** In the version of the hash that was expected. */
const hashes = async (log: MemoryLog, like: readonly string[]): Promise<string[]> => {
  const found: string[] = []
  for (let n = 0; n < log.meta.partitions; n++) {
    const pass = await Replay.open(await log.partition(n), { decodeCheckpoint })
    await pass.run()
    found.push(stateHash(snapshot(pass.state), like[n]))
  }
  return found
}

describe.each(corpusNames())('what version %s wrote', (name) => {
  it('[CARD-04] is replayed to the state that it always was', async () => {
    const { log } = await readCorpus(name)
    expect({ [name]: await hashes(log, expected[name] ?? []) }).toEqual({ [name]: expected[name] })
  })

  it('[CARD-05] is replayed to the same states from recordings, on and back', async () => {
    const { log } = await readCorpus(name)
    const look = { decodeCheckpoint, now: Number.MAX_SAFE_INTEGER, framesMax: 50 }
    for (let partition = 0; partition < log.meta.partitions; partition++) {
      const states = new Map<number, string>()
      const frame = ({ seq }: { seq: number }, state: Replay['state']) =>
        void states.set(seq, stateHash(snapshot(state)))
      const handle = await log.partition(partition)
      await (await Replay.open(handle, { decodeCheckpoint, listeners: [{ frame }] })).run()
      const recorded = async (seq: number, withState: boolean) =>
        encodeRecording(await recordingOf(log, 'any', { seq }, { ...look, partition, withState }))
      const { partitions } = await spanOf(log, undefined, look)
      const replayer = Replayer.open(await recorded(partitions[partition]!.from.seq, true), { keyframeWork: 100 })
      while (!replayer.reachesEnd) replayer.extend(await recorded(replayer.next, false))
      const { from, to } = replayer.range
      expect(to.seq).toBe(partitions[partition]!.to.seq)
      for (let move = replayer.position; move !== undefined; move = replayer.step(1)!)
        expect([move.seq, replayer.hash]).toEqual([move.seq, states.get(move.seq)])
      for (let seq = to.seq; seq > from.seq; seq -= 7)
        expect([replayer.seek({ seq }).seq, replayer.hash]).toEqual([
          replayer.position.seq,
          states.get(replayer.position.seq),
        ])
    }
  })

  it('[CARD-05] is whole by today’s rules, and its messages can be traced', async () => {
    const { corpus, log } = await readCorpus(name)
    const report = await verify(log, { decodeCheckpoint })
    expect(report.partitions.map(({ problem }) => problem)).toEqual([undefined, undefined])
    const { steps } = await trace(log, corpus.traced, { decodeCheckpoint })
    expect(steps.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['Enqueued', 'Delivered', 'DeadLettered', 'ForwardReceived']),
    )
  })

  it('[CARD-04] is taken over by today’s engine, from its checkpoints where these are still read', async () => {
    const { log } = await readCorpus(name)
    const engine = new Engine({ log, time: liveTime })
    await engine.start()
    expect([0, 1].map((n) => engine.actor(n).life)).toEqual(['Active', 'Active'])
    await engine.stop('drain')
    expect(await verify(log, { decodeCheckpoint })).toMatchObject({ ok: true })
  })
})

describe('what a newer version writes', () => {
  const by = { name: 'tester', origin: 'test' }
  /** A whole log followed by an event of a newer version. */
  const followedBy = async (...events: object[]) => {
    const { log } = await readCorpus(corpusNames().at(-1)!)
    const handle = await log.partition(0)
    const { lastSeq } = await handle.state()
    const last = decodeRecord((await handle.get(lastSeq))!.data)
    if (last.kind !== 'frame') throw new Error('the log ends with a body')
    const { bytes } = encodeRecord({ epoch: last.epoch, at: last.at, events: events as LogEvent[], sections: [] }, last.hash)
    return { log, seq: log.faults.write(0, bytes) }
  }
  const withUnknown = (more: object) => followedBy({ type: 'WeatherNoted', sky: 'blue', ...more })

  const takenOver = async (log: MemoryLog) => {
    const engine = new Engine({ log, time: liveTime })
    await engine.start()
    const lives = [0, 1].map((n) => engine.actor(n).life)
    await engine.stop('drain')
    return lives
  }

  it('is refused by name, with what to do, and is not taken for damage', async () => {
    const { log, seq } = await withUnknown({})
    const [report] = (await verify(log, { decodeCheckpoint })).partitions
    expect(report!.problem).toMatchObject({ id: 'FutureVersion', seq })
    expect(report!.problem!.message).toMatch(/WeatherNoted.*install that version/)
    expect(await takenOver(log)).toEqual(['Quarantined', 'Active'])
  })

  it.each<[string, ...object[]]>([
    ['a setting of a new queue', { type: 'QueueCreated', queue: 99, name: 'q', config: { weather: 'blue' }, by }],
    ['a setting of a queue', { type: 'QueueConfigured', queue: 1, config: { weather: 'blue' }, by }],
    ['a choice of a setting', { type: 'QueueConfigured', queue: 1, config: { erasable: 'weather' }, by }],
    [
      'a setting of a new subscription',
      { type: 'QueueCreated', queue: 99, name: 'q', config: {}, by },
      { type: 'SubscriptionCreated', queue: 99, sub: 1, name: 's', settings: { weather: 1 }, from: 1, by },
    ],
    ['a setting of a subscription', { type: 'SubscriptionConfigured', queue: 1, sub: 0, settings: { weather: 1 }, by }],
  ])('is refused by name where it is %s', async (_, ...events) => {
    const { log, seq } = await followedBy(...events)
    const [report] = (await verify(log, { decodeCheckpoint })).partitions
    expect(report!.problem).toMatchObject({ id: 'FutureVersion', seq })
    expect(report!.problem!.message).toMatch(/weather.*install that version/)
    const look = { decodeCheckpoint, now: Number.MAX_SAFE_INTEGER, framesMax: 10, partition: 0, withState: true }
    const recording = await recordingOf(log, 'any', { seq: seq - 1 }, look)
    const replayer = Replayer.open(encodeRecording(recording))
    expect(() => replayer.seek({ seq })).toThrow(expect.objectContaining({ id: 'FutureVersion' }))
    expect(await takenOver(log)).toEqual(['Quarantined', 'Active'])
  })

  it('is passed over and counted where it is marked as optional', async () => {
    const { log } = await withUnknown({ optional: true })
    const report = await verify(log, { decodeCheckpoint })
    expect(report.ok).toBe(true)
    expect(report.partitions[0]).toMatchObject({ skipped: 1 })
    const engine = new Engine({ log, time: liveTime })
    await engine.start()
    expect([0, 1].map((n) => engine.actor(n).life)).toEqual(['Active', 'Active'])
    await engine.stop('drain')
  })
})
