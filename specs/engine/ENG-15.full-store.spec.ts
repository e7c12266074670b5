import { createClient, inProcess, type Client } from '@kiroku/client'
import { liveTime } from '@kiroku/engine'
import { openLog } from '@kiroku/log-jetstream'
import { connect } from '@kiroku/nats'
import { managedStatus, startManaged } from '@kiroku/nats-server'
import { isKirokuError } from '@kiroku/protocol'
import { SmallDisk, waitUntil } from '@kiroku/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { Engine } from '../harness/index.ts'

const mebibyte = 1024 * 1024
const body = 'x'.repeat(50_000)

/** An engine with its nats-server on a disk of this many MiB, with the default record limit of 20 GiB. */
const startOn = async (mebibytes: number, skip: (note: string) => void) => {
  const disk = await SmallDisk.mountOrSkip(mebibytes, skip)
  onTestFinished(async () => {
    await waitUntil(() => managedStatus(disk.path) === undefined, { what: 'the keeper is gone' })
    await disk[Symbol.asyncDispose]()
  })
  const server = await startManaged({ dataDir: disk.path, graceMs: 100 })
  onTestFinished(() => server.release())
  const dial = async () => {
    const nats = await connect({ servers: server.url, ...server.access.node })
    onTestFinished(() => nats.close())
    return nats
  }
  const log = await openLog(await dial(), {
    name: 'main',
    create: { partitions: 2 },
    reader: await dial(),
    disk: () => Promise.resolve(server.disk()),
  })
  onTestFinished(() => log.close())
  const engine = new Engine({ log, time: liveTime })
  onTestFinished(() => engine.stop('drain'))
  await engine.start()
  const client = createClient(inProcess(engine), { name: 'spec', sendTimeoutMs: 1 })
  onTestFinished(() => client.close())
  await client.queues.create('mail', { retentionMs: 86_400_000 })
  return { disk, client, engine, log }
}

/** Sends once, without repeating: whether the messages were taken. Errors other than `StorageFull` are thrown. */
const send = async (client: Client, messages: number): Promise<boolean> => {
  try {
    await client.sendBatch('mail', Array<{ body: string }>(messages).fill({ body }))
    return true
  } catch (error) {
    if (isKirokuError(error) && error.id === 'StorageFull') return false
    throw error
  }
}

/** Consumes everything in the queue; returns the number of messages. */
const consume = async (client: Client): Promise<number> => {
  let taken = 0
  for (;;) {
    const messages = await client.receive('mail', { max: 100 })
    if (messages.length === 0) return taken
    await client.ack(messages.map(({ receipt }) => receipt))
    taken += messages.length
  }
}

it('[ENG-15] [CARD-02] a disk smaller than the record is never full where everything is consumed', async ({
  skip,
}) => {
  // Given a disk of 128 MiB and a record limit of 20 GiB
  const { client, disk, log } = await startOn(128, skip)

  // When five times as much goes through
  let through = 0
  let refused = 0
  while (through < 640 * mebibyte) {
    if (await send(client, 10)) through += 10 * body.length
    else refused++
    await consume(client)
  }

  // Then the log was trimmed for it, which it says, and there is room
  expect(refused).toBeLessThan(100)
  expect(disk.freeBytes).toBeGreaterThan(16 * mebibyte)
  const storage = (await client.partitions()).map((partition) => partition.storage!)
  expect(storage.reduce((sum, { earlyTrims }) => sum + earlyTrims, 0)).toBeGreaterThan(0)
  expect((await log.room())!.freeBytes).toBeGreaterThan(storage[0]!.reserveBytes!)
}, 120_000)

it('[ENG-15] [CARD-02] a full store refuses sends, continues with everything else, and recovers as it is consumed', async ({
  skip,
}) => {
  // Given a store full of messages without a consumer
  const { client, engine, disk } = await startOn(128, skip)
  let sent = 0
  while (await send(client, 10)) sent += 10
  expect(sent).toBeGreaterThan(1_000)

  // Then there is a reserve, on which a take-over, new queues and receives continue
  expect(disk.freeBytes).toBeGreaterThan(20 * mebibyte)
  await engine.stop('crash')
  await engine.start()
  await client.queues.create('other')
  // Its owner refuses sends as soon as it has asked the store: what another counted twice may be room for a few
  await waitUntil(async () => !(await send(client, 10)), { what: 'the new owner refuses sends' })
  const { available } = (await client.queues.describe('mail')).counts
  expect(available).toBeGreaterThanOrEqual(sent)

  // And when everything is consumed, the store has room for as much again
  expect(await consume(client)).toBe(available)
  // Which goes as it is needed: while nothing could go, the pause between two checkpoints rose to a minute.
  let again = 0
  await waitUntil(
    async () => {
      if (await send(client, 10)) again += 10
      return again > sent / 2
    },
    { timeoutMs: 120_000, what: 'the store takes as much again' },
  )
}, 300_000)
