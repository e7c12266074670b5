import { randomBytes } from 'node:crypto'
import {
  encodeRecord,
  keysKeptMs,
  readChain,
  zeroHash,
  type CheckpointStore,
  type LogMeta,
} from '@kiroku/log'
import { connect, requireJetStream } from '@kiroku/nats'
import { withNats } from '@kiroku/testkit'
import type { JetStreamManager } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { headers, type NatsConnection } from '@nats-io/nats-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkpointBucket } from './names.ts'
import { openLog } from './openLog.ts'
import { streamPlacements } from './streamPlacements.ts'

const nats = withNats()
let nc: NatsConnection
let jsm: JetStreamManager
beforeAll(async () => {
  nc = await connect({ servers: nats().url })
  jsm = await requireJetStream(nc)
})
afterAll(() => nc.close())

const failure = (id: string) => expect.objectContaining({ id })

test('a log that does not exist is not created as a side effect', async () => {
  await expect(openLog(nc, { name: 'nowhere' })).rejects.toEqual(failure('InvalidArgument'))
  await expect(jsm.streams.info('KIROKU_nowhere_0')).rejects.toThrow('stream not found')
})

test('a name that a stream cannot have is refused', async () => {
  for (const name of ['', 'a.b', 'a b', 'a*', 'a_b'])
    await expect(openLog(nc, { name, create: { partitions: 1 } })).rejects.toEqual(failure('InvalidArgument'))
})

test('the placement of the streams of a log is reported per partition: a single server leads all, without replicas', async () => {
  await openLog(nc, { name: 'lies', create: { partitions: 2 } })
  const placement = { leader: nc.info!.server_name, replicas: [] }
  expect([...(await streamPlacements(nc, 'lies', 2))].toSorted()).toEqual([
    [0, placement],
    [1, placement],
  ])
})

test('an append without an answer is given up, to be sent again, sooner than a fence, which is not', async () => {
  const log = await openLog(nc, { name: 'silent', create: { partitions: 1 } })
  const partition = await log.partition(0)
  const record = encodeRecord({ epoch: 1, at: 1, events: [], sections: [] }, zeroHash).bytes
  const server = nats()
  await server.kill('SIGSTOP')
  try {
    const givenUp = async (what: string, storing: Promise<unknown>): Promise<string> => {
      await expect(storing).rejects.toEqual(failure('LogAmbiguous'))
      return what
    }
    const fence = givenUp('fence', partition.fence([record, record], 0))
    const append = givenUp('append', partition.append(record, 0))
    expect(await Promise.race([fence, append])).toBe('append')
    await fence
  } finally {
    await server.kill('SIGCONT')
    await log.close()
  }
})

test('concurrent creators agree, and the first one decides', async () => {
  const logs = await Promise.all(
    [1, 2, 3, 4].map((partitions) => openLog(nc, { name: 'race', create: { partitions } })),
  )
  for (const log of logs) expect(log.meta).toEqual(logs[0]!.meta)
  const later = await openLog(nc, { name: 'race', create: { partitions: 9, recordMs: 5 } })
  expect(later.meta).toEqual(logs[0]!.meta)
  await Promise.all(Array.from({ length: later.meta.partitions }, (_, n) => later.partition(n)))
})

test('a log whose creator died halfway is completed by the next one who opens it', async () => {
  const log = await openLog(nc, { name: 'half', create: { partitions: 2 } })
  const catalogue = await new Kvm(nc).open('KIROKU_CATALOGUE')
  const entry = (await catalogue.get('log.half'))!.json<object>()
  await catalogue.put('log.half', JSON.stringify({ ...entry, complete: false }))
  await jsm.streams.delete('KIROKU_half_1')
  const again = await openLog(nc, { name: 'half' })
  expect(again.meta).toEqual(log.meta)
  expect((await (await again.partition(1)).state()).lastSeq).toBe(0)
})

test('more replicas than a single server keeps are refused before anything is created', async () => {
  for (const log of ['copies', 'main'])
    await expect(openLog(nc, { name: log, create: { partitions: 2, replicas: 3 } })).rejects.toMatchObject({
      id: 'InvalidArgument',
      message:
        '3 replicas need a NATS cluster with JetStream on at least 3 servers; this is a single server, which keeps 1',
    })
  await expect(jsm.streams.info('KIROKU_copies_0')).rejects.toThrow('stream not found')
  const log = await openLog(nc, { name: 'copies', create: { partitions: 2 } })
  expect(log.meta).toMatchObject({ partitions: 2, replicas: 1 })
})

test('a log begun with impossible replicas is created with the current settings', async () => {
  await openLog(nc, { name: 'beside', create: { partitions: 1 } })
  const catalogue = await new Kvm(nc).open('KIROKU_CATALOGUE')
  const meta = { name: 'stuck', incarnation: 'abc', partitions: 8, replicas: 3, recordMs: 1, recordBytes: 1 }
  await catalogue.put('log.stuck', JSON.stringify({ meta, bytesMax: 0, complete: false }))
  const { meta: made } = await openLog(nc, { name: 'stuck', create: { partitions: 2, recordMs: 5 } })
  expect(made).toMatchObject({ incarnation: 'abc', partitions: 2, replicas: 1, recordMs: 5 })
})

test.each([0, 1.5, 1_025, 100_000])(
  '%d partitions are refused before anything is created',
  async (partitions) => {
    const opened = openLog(nc, { name: 'many-too-many', create: { partitions } })
    await expect(opened).rejects.toMatchObject({
      id: 'InvalidArgument',
      message: `a log has 1 to 1024 partitions, not ${partitions}`,
    })
  },
)

test('a foreign stream of that name is left alone', async () => {
  await jsm.streams.add({ name: 'KIROKU_theirs_0', subjects: ['theirs'] })
  await expect(openLog(nc, { name: 'theirs', create: { partitions: 1 } })).rejects.toEqual(
    failure('ForeignStream'),
  )
  expect((await jsm.streams.info('KIROKU_theirs_0')).config.subjects).toEqual(['theirs'])
})

test('a foreign stream that takes subjects of the log is noticed', async () => {
  await jsm.streams.add({ name: 'greedy', subjects: ['kiroku.log.grabbed.*'] })
  await expect(openLog(nc, { name: 'grabbed', create: { partitions: 1 } })).rejects.toEqual(
    failure('ForeignStream'),
  )
})

test('a missing stream is damage, not a new log', async () => {
  const log = await openLog(nc, { name: 'gone', create: { partitions: 2 } })
  const opened = await log.partition(1)
  await jsm.streams.delete('KIROKU_gone_1')
  await log.partition(0)
  await expect(opened.state()).rejects.toEqual(failure('LogDamaged'))
  await expect(log.partition(1)).rejects.toEqual(failure('LogDamaged'))
  await expect(openLog(nc, { name: 'gone' }).then((l) => l.partition(1))).rejects.toEqual(
    failure('LogDamaged'),
  )
})

test('a hole that the leader confirms is skipped by reads and found by the chain', async () => {
  const log = await openLog(nc, { name: 'hole', create: { partitions: 1 } })
  const partition = await log.partition(0)
  let hash = zeroHash
  for (let i = 0; i < 20; i++) {
    const record = encodeRecord({ epoch: 1, at: i, events: [], sections: [] }, hash)
    hash = record.hash
    await partition.append(record.bytes, i)
  }
  for (const seq of [7, 8, 20]) await jsm.streams.deleteMessage('KIROKU_hole_0', seq)
  const seen: number[] = []
  for await (const record of partition.read(1)) seen.push(record.seq)
  expect(seen).toEqual([1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19])
  expect(await partition.get(8)).toBeUndefined()
  expect(await partition.holes()).toEqual([7, 8, 20])
  expect(await partition.state()).toMatchObject({ holes: 3 })
  const drain = async () => {
    for await (const entry of readChain(partition)) expect(entry.kind).toBe('ours')
  }
  await expect(drain()).rejects.toMatchObject({ id: 'LogDamaged', seq: 7 })
})

test('many small records are read in order across batches', async () => {
  const log = await openLog(nc, { name: 'many', create: { partitions: 1 } })
  const partition = await log.partition(0)
  const record = encodeRecord({ epoch: 1, at: 1, events: [], sections: [] }, zeroHash).bytes
  const chunk = 500
  for (let from = 0; from < 10_000; from += chunk)
    await partition.fence(Array<Uint8Array>(chunk).fill(record), from)
  let expected = 0
  for await (const { seq } of partition.read(1)) expect(seq).toBe(++expected)
  expect(expected).toBe(10_000)
})

test('reading survives a restart of the server', async () => {
  const log = await openLog(nc, { name: 'restart', create: { partitions: 1 } })
  const partition = await log.partition(0)
  const record = encodeRecord({ epoch: 1, at: 1, events: [], sections: [] }, zeroHash).bytes
  await partition.fence(Array<Uint8Array>(500).fill(record), 0)
  const unanswered = partition.append(record, 500).catch((e: unknown) => e)
  await nats().restart()
  await unanswered
  const seen: number[] = []
  for await (const { seq } of partition.read(1, 500)) seen.push(seq)
  expect(seen.length).toBe(500)
})

test('checkpoints are listed and read without a consumer left behind', async () => {
  const log = await openLog(nc, { name: 'tidy', create: { partitions: 2 } })
  const [{ checkpoints }, other] = await Promise.all([log.partition(0), log.partition(1)])
  const large = Uint8Array.from({ length: 1_300_000 }, (_, i) => i % 251)
  expect(await checkpoints.list()).toEqual([])
  await checkpoints.put(7, new Uint8Array([7]))
  await checkpoints.put(12, large)
  await other.checkpoints.put(9, new Uint8Array([9]))
  expect(await checkpoints.list()).toEqual([12, 7])
  expect(Buffer.compare((await checkpoints.get(12))!, large)).toBe(0)
  expect(await checkpoints.get(9)).toBeUndefined()
  const bytes = async () => (await jsm.streams.info('OBJ_KIROKU_tidy_CHECKPOINTS')).state.bytes
  expect(await bytes()).toBeGreaterThan(large.length)
  await checkpoints.delete(12)
  expect(await checkpoints.get(12)).toBeUndefined()
  expect(await checkpoints.list()).toEqual([7])
  expect(await bytes()).toBeLessThan(5_000)
  expect((await jsm.streams.info('OBJ_KIROKU_tidy_CHECKPOINTS')).state.consumer_count).toBe(0)
})

test('of two checkpoints stored under one sequence at the same moment the first one stays', async () => {
  const log = await openLog(nc, { name: 'twice', create: { partitions: 1 } })
  const { checkpoints } = await log.partition(0)
  const [one, other] = [1, 2].map((n) => new Uint8Array(1_300_000).fill(n))
  const stored = await Promise.allSettled([one!, other!].map((bytes) => checkpoints.put(5, bytes)))
  expect(stored.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  const first = stored[0]!.status === 'fulfilled' ? one! : other!
  expect(Buffer.compare((await checkpoints.get(5))!, first)).toBe(0)
  // Nothing of the other is left.
  const { bytes } = (await jsm.streams.info('OBJ_KIROKU_twice_CHECKPOINTS')).state
  expect(bytes).toBeLessThan(1.5 * first.length)
})

/** A log with a checkpoint of several chunks, and the stream that they are in. */
const withCheckpoint = async (name: string) => {
  const log = await openLog(nc, { name, create: { partitions: 1 } })
  const { checkpoints } = await log.partition(0)
  const bytes = randomBytes(1_200_000)
  await checkpoints.put(7, bytes)
  return { checkpoints, bytes, stream: `OBJ_${checkpointBucket(name)}` }
}

/** Reads the checkpoint, and counts the chunks that its stream's leader was asked for. */
const readCheckpoint = async (checkpoints: CheckpointStore, stream: string) => {
  let ofLeader = 0
  const heard = nc.subscribe(`$JS.API.STREAM.MSG.GET.${stream}`, {
    callback: (_, msg) => {
      if (msg.string().includes('next_by_subj')) ofLeader++
    },
  })
  const found = Buffer.from((await checkpoints.get(7))!)
  await nc.flush()
  heard.unsubscribe()
  return { found, ofLeader }
}

test('a checkpoint is read as bytes: in the base64 of the leader, 30 MB would keep the engine busy for a second', async () => {
  const { checkpoints, bytes, stream } = await withCheckpoint('direct')
  const { found, ofLeader } = await readCheckpoint(checkpoints, stream)
  expect(found.equals(bytes)).toBe(true)
  expect(ofLeader).toBe(0)
})

test('once a replica lacks a chunk, the leader is asked for it and the rest', async () => {
  const { checkpoints, bytes, stream } = await withCheckpoint('behind')
  const { config } = await jsm.streams.info(stream)
  await jsm.streams.update(stream, { ...config, allow_direct: false })
  // The stream answers no direct gets itself: this one does, and lacks every chunk.
  let ofReplica = 0
  const replica = nc.subscribe(`$JS.API.DIRECT.GET.${stream}`, {
    callback: (_, msg) => {
      ofReplica++
      msg.respond('', { headers: headers(404, 'Message Not Found') })
    },
  })
  const { found, ofLeader } = await readCheckpoint(checkpoints, stream)
  expect(found.equals(bytes)).toBe(true)
  expect({ ofReplica, ofLeader }).toEqual({ ofReplica: 1, ofLeader: 3 })
  replica.unsubscribe()
})

test('a node opens no partition of a log that was created again under the same name', async () => {
  const create = { partitions: 2 }
  const before = await openLog(nc, { name: 'again', create })
  const { meta } = before
  for (const n of [0, 1]) await jsm.streams.delete(`KIROKU_again_${n}`)
  await (await new Kvm(nc).open('KIROKU_CATALOGUE')).purge('log.again')
  const { incarnation } = (await openLog(nc, { name: 'again', create: { partitions: 3 } })).meta
  expect(incarnation).not.toBe(meta.incarnation)
  await expect(before.partition(0)).rejects.toEqual(failure('ForeignStream'))
  await expect(before.partition(2)).rejects.toEqual(failure('InvalidArgument'))
  expect(before.meta).toEqual(meta)
})

describe('requested limits of the record', () => {
  const week = 7 * 86_400_000
  const create = { partitions: 2, recordMs: week, recordBytes: 1_000_000 }

  const inStreams = (log: string) =>
    Promise.all(
      [0, 1].map(async (n) => {
        const { config } = await jsm.streams.info(`KIROKU_${log}_${n}`)
        const { meta } = JSON.parse(config.metadata!['kiroku-log']!) as { meta: LogMeta }
        return [meta.recordMs, meta.recordBytes]
      }),
    )

  test('become those of an existing log, for every process that opens it', async () => {
    const { meta } = await openLog(nc, { name: 'wider', create })
    const changes: unknown[] = []
    const wider = await openLog(nc, {
      name: 'wider',
      create: { partitions: 2 },
      record: { recordBytes: 5_000_000 },
      onChanged: (before, now) => changes.push([before, now]),
      onMade: () => expect.unreachable(),
    })
    expect(wider.meta).toEqual({ ...meta, recordBytes: 5_000_000 })
    expect(changes).toEqual([[meta, wider.meta]])
    expect((await openLog(nc, { name: 'wider' })).meta).toEqual(wider.meta)
    expect(await inStreams('wider')).toEqual(Array(2).fill([week, 5_000_000]))
  })

  test('stay when none is given, or the same, or by a read-only process', async () => {
    const { meta } = await openLog(nc, { name: 'same', create })
    const onChanged = () => expect.unreachable()
    const other = { partitions: 2, recordMs: 1, recordBytes: 2 }
    const record = { recordBytes: 2 }
    for (const more of [{ create: other }, { create: other, record: create }, { record }])
      expect((await openLog(nc, { name: 'same', onChanged, ...more })).meta).toEqual(meta)
  })

  test('are all set when several nodes set them at the same moment', async () => {
    await openLog(nc, { name: 'both', create })
    const asked = [{ recordMs: 2 * week }, { recordBytes: 3_000_000 }, { recordMs: 2 * week }]
    await Promise.all(asked.map((record) => openLog(nc, { name: 'both', create, record })))
    expect((await openLog(nc, { name: 'both' })).meta).toMatchObject({
      recordMs: 2 * week,
      recordBytes: 3_000_000,
    })
  })

  test('reach a running node when it opens a partition', async () => {
    const running = await openLog(nc, { name: 'told', create })
    await openLog(nc, { name: 'told', create, record: { recordMs: 2 * week } })
    expect(running.meta.recordMs).toBe(week)
    await running.partition(1)
    expect(running.meta.recordMs).toBe(2 * week)
    expect(await inStreams('told')).toEqual(Array(2).fill([2 * week, 1_000_000]))
  })

  test('keep the keys longer when the record gets longer, and never shorter', async () => {
    const keptMs = async () => (await jsm.streams.info('KV_KIROKU_lasting_KEYS')).config.max_age / 1e6
    const log = await openLog(nc, { name: 'lasting', create })
    await log.keys.put('a', new Uint8Array([1]), 0)
    expect(await keptMs()).toBe(keysKeptMs(week))
    await openLog(nc, { name: 'lasting', create, record: { recordMs: 3 * week } })
    expect(await keptMs()).toBe(keysKeptMs(3 * week))
    await openLog(nc, { name: 'lasting', create, record: { recordMs: week } })
    expect(await keptMs()).toBe(keysKeptMs(3 * week))
  })

  test('keep the keys in a bucket of an older version for at least as long as messages may wait', async () => {
    // Given a log with a short record, whose keys were kept for little more than two days
    const stream = 'KV_KIROKU_brief_KEYS'
    const short = { ...create, recordMs: 3_600_000 }
    const before = await openLog(nc, { name: 'brief', create: short })
    await before.keys.put('a', new Uint8Array([1]), 0)
    const max_age = 50 * 3_600_000 * 1e6
    await jsm.streams.update(stream, { max_age })
    const keptMs = async () => (await jsm.streams.info(stream)).config.max_age / 1e6

    // A read-only process changes nothing; when an engine opens a partition, they are kept as long as those
    // of a new log
    await (await openLog(nc, { name: 'brief' })).partition(0)
    expect(await keptMs()).toBe(max_age / 1e6)
    await (await openLog(nc, { name: 'brief', create: short })).partition(0)
    expect(await keptMs()).toBe(keysKeptMs(short.recordMs))
    expect(await before.keys.get('a')).toBeDefined()
  })

  test('leave it to be reported once that a log was created', async () => {
    let made = 0
    for (let i = 0; i < 2; i++) await openLog(nc, { name: 'new', create, onMade: () => made++ })
    expect(made).toBe(1)
  })
})
