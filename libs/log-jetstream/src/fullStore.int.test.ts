import { encodeRecord, zeroHash } from '@kiroku/log'
import { connect, requireJetStream } from '@kiroku/nats'
import { isKirokuError } from '@kiroku/protocol'
import { startTestNats, temporaryFolder } from '@kiroku/testkit'
import type { JetStreamManager } from '@nats-io/jetstream'
import { expect, onTestFinished, test } from 'vitest'
import { openLog } from './openLog.ts'

const mebibyte = 1024 * 1024

/** A log on an unmanaged NATS server, with limited room that it does not announce. */
const logOn = async (mebibytes: number) => {
  const folder = await temporaryFolder()
  onTestFinished(() => folder.remove())
  const server = await startTestNats({
    dataDir: `${folder.path}/nats`,
    jetStream: false,
    extraConfig: `jetstream { store_dir: "${folder.path}/store", max_file_store: ${mebibytes}MB }`,
  })
  onTestFinished(() => server.stop())
  const nc = await connect({ servers: server.url })
  onTestFinished(() => nc.close())
  const log = await openLog(nc, { name: 'main', create: { partitions: 1 } })
  return { log, nc, jsm: await requireJetStream(nc), partition: await log.partition(0) }
}

const ballastOf = async (jsm: JetStreamManager): Promise<number> =>
  (await jsm.streams.info('KIROKU_main_BALLAST')).state.messages

const refusalOf = (asked: Promise<unknown>): Promise<string | undefined> =>
  asked.then(
    () => undefined,
    (error: unknown) => (isKirokuError(error) ? error.id : String(error)),
  )

const recordOf = (bytes: number) =>
  encodeRecord(
    { epoch: 1, at: 1, events: [], sections: [{ queue: 1, bodies: [new Uint8Array(bytes)] }] },
    zeroHash,
  ).bytes

test('checkpoints can be deleted when the store takes nothing more', async () => {
  const { partition, jsm } = await logOn(16)
  const { checkpoints } = partition
  await checkpoints.put(1, new Uint8Array(3 * mebibyte))
  await checkpoints.put(2, new Uint8Array(mebibyte))
  let last = 0
  while ((await refusalOf(partition.append(recordOf(500_000), last))) === undefined) last++
  expect(await refusalOf(partition.append(recordOf(1), last))).toBe('StorageFull')
  const before = (await jsm.getAccountInfo()).storage

  await checkpoints.delete(1)
  expect(await checkpoints.list()).toEqual([2])
  expect(before - (await jsm.getAccountInfo()).storage).toBeGreaterThan(3 * mebibyte)
  await partition.append(recordOf(1), last)
})

test('the ballast is removed once the account reports its room', async () => {
  const folder = await temporaryFolder()
  onTestFinished(() => folder.remove())
  const store = `${folder.path}/store`
  const on = async (jetStream: string) => {
    const server = await startTestNats({
      dataDir: `${folder.path}/nats`,
      jetStream: false,
      extraConfig: `jetstream { store_dir: "${store}" }
accounts { A { jetstream: ${jetStream}, users: [{ user: a, password: a }] } }
no_auth_user: a`,
    })
    const nc = await connect({ servers: server.url })
    const close = () => nc.close().then(() => server.stop())
    const log = await openLog(nc, { name: 'main', create: { partitions: 1 } })
    return { log, jsm: await requireJetStream(nc), partition: await log.partition(0), close }
  }
  const before = await on('enabled')
  for (let last = 0; last < 10; last++) await before.partition.append(recordOf(500_000), last)
  expect(await before.log.room()).toBeUndefined()
  expect(await ballastOf(before.jsm)).toBeGreaterThan(0)
  await before.close()

  const limited = await on(`{ max_file: ${64 * mebibyte} }`)
  const room = (await limited.log.room())!
  expect(room.bytesMax).toBe(64 * mebibyte)
  await expect(ballastOf(limited.jsm)).rejects.toThrow('stream not found')
  expect((await limited.log.room())!.freeBytes).toBeGreaterThan(room.freeBytes)
  await limited.close()
})

test('a store that does not report its room continues on its ballast once it is full, and reports how much it holds', async () => {
  const { log, partition, jsm, nc } = await logOn(32)
  let last = 0
  const append = (): Promise<string | undefined> => refusalOf(partition.append(recordOf(500_000), last))
  for (; last < 40; last++) expect(await append()).toBeUndefined()
  // No limit is known, and a tenth of what is stored is reserved for when it is full.
  expect(await log.room()).toBeUndefined()
  const before = await ballastOf(jsm)
  expect(before).toBe(Math.floor((40 * 500_000 * 0.1) / 2 ** 18))

  while ((await append()) === undefined) last++
  expect(await append()).toBeUndefined()
  last++
  expect(await ballastOf(jsm)).toBe(Math.floor(before / 2))
  const room = (await log.room())!
  expect(room.bytesMax).toBeGreaterThan(30 * mebibyte)
  expect(room.bytesMax).toBeLessThan(34 * mebibyte)
  expect(room.freeBytes).toBeLessThan(before * 2 ** 18)
  // Other nodes use it; read-only ones take no part in it.
  const another = await openLog(nc, { name: 'main', create: { partitions: 1 } })
  expect(await another.room()).toEqual(room)
  expect(await (await openLog(nc, { name: 'main' })).room()).toBeUndefined()

  await partition.trim(last - 10)
  expect((await log.room())!.freeBytes).toBeGreaterThan(20 * mebibyte)
  expect(await ballastOf(jsm)).toBe(Math.floor(before / 2))
  // The ballast comes back when there is room for it; how much the store holds is still known.
  for (const end = last + 25; last < end; last++) expect(await append()).toBeUndefined()
  expect((await log.room())!.bytesMax).toBe(room.bytesMax)
  expect(await ballastOf(jsm)).toBeGreaterThanOrEqual(before - 1)
})
