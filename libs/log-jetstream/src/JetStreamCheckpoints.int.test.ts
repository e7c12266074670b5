import { randomBytes } from 'node:crypto'
import type { CheckpointStore } from '@kiroku/log'
import { connect, requireJetStream } from '@kiroku/nats'
import { withNats } from '@kiroku/testkit'
import type { JetStreamManager } from '@nats-io/jetstream'
import { headers, type NatsConnection } from '@nats-io/nats-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkpointBucket } from './names.ts'
import { openLog } from './openLog.ts'

const nats = withNats()
let nc: NatsConnection
let jsm: JetStreamManager
beforeAll(async () => {
  nc = await connect({ servers: nats().url })
  jsm = await requireJetStream(nc)
})
afterAll(() => nc.close())

/** A log with a checkpoint of several chunks, and the stream that they are in. */
const given = async (name: string) => {
  const log = await openLog(nc, { name, create: { partitions: 1 } })
  const { checkpoints } = await log.partition(0)
  const bytes = randomBytes(1_200_000)
  await checkpoints.put(7, bytes)
  return { checkpoints, bytes, stream: `OBJ_${checkpointBucket(name)}` }
}

/** Reads the checkpoint, and counts the chunks that its stream's leader was asked for. */
const read = async (checkpoints: CheckpointStore, stream: string) => {
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
  const { checkpoints, bytes, stream } = await given('direct')
  const { found, ofLeader } = await read(checkpoints, stream)
  expect(found.equals(bytes)).toBe(true)
  expect(ofLeader).toBe(0)
})

test('once a replica lacks a chunk, the leader is asked for it and the rest', async () => {
  const { checkpoints, bytes, stream } = await given('behind')
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
  const { found, ofLeader } = await read(checkpoints, stream)
  expect(found.equals(bytes)).toBe(true)
  expect({ ofReplica, ofLeader }).toEqual({ ofReplica: 1, ofLeader: 3 })
  replica.unsubscribe()
})
