import { SmallDisk, waitUntil } from '@kiroku/testkit'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { managedStatus } from './managedStatus.ts'
import { startManaged } from './startManaged.ts'
import { askByHand, type KeyedServer } from './testing/askByHand.ts'

const mebibyte = 1024 * 1024

const diskOf = async (mebibytes: number, skip: (note: string) => void): Promise<SmallDisk> => {
  const disk = await SmallDisk.mountOrSkip(mebibytes, skip)
  onTestFinished(async () => {
    await waitUntil(() => managedStatus(disk.path) === undefined, { what: 'the keeper is gone' })
    await disk[Symbol.asyncDispose]()
  })
  return disk
}

const startOn = async (disk: SmallDisk) => {
  const server = await startManaged({ dataDir: disk.path, graceMs: 100 })
  onTestFinished(() => server.release())
  return server
}

const makeStream = (server: KeyedServer) =>
  askByHand(
    server,
    '$JS.API.STREAM.CREATE.KEPT',
    '{"name":"KEPT","subjects":["kiroku.kept"],"storage":"file","discard":"new"}',
  )

const stores = async (server: KeyedServer, bytes: number): Promise<boolean> =>
  (await askByHand(server, 'kiroku.kept', 'x'.repeat(bytes)))?.includes('"error"') === false

const limitOf = (disk: SmallDisk): number =>
  Number(/max_file_store: (\d+)/.exec(readFileSync(join(disk.path, 'nats/server.conf'), 'utf8'))?.[1])

test('a store is limited to its disk, less a margin, not to three quarters of it', async ({ skip }) => {
  const disk = await diskOf(128, skip)
  const server = await startOn(disk)
  expect(limitOf(disk)).toBeGreaterThan(100 * mebibyte)
  expect(limitOf(disk)).toBeLessThan(113 * mebibyte)
  expect(server.disk().storeBytesMax).toBe(limitOf(disk))
  expect(managedStatus(disk.path)!.storeBytesMax).toBe(limitOf(disk))
})

test('a store says no before its disk is full, and yes once something was removed', async ({ skip }) => {
  const disk = await diskOf(128, skip)
  const server = await startOn(disk)
  await makeStream(server)
  await waitUntil(async () => !(await stores(server, 4_000_000)), { timeoutMs: 30_000 })
  expect(disk.freeBytes).toBeGreaterThan(10 * mebibyte)
  await askByHand(server, '$JS.API.STREAM.PURGE.KEPT', '{"seq":10}')
  expect(await stores(server, 4_000_000)).toBe(true)
})

test('a store whose disk was full works again once there is room', async ({ skip }) => {
  const disk = await diskOf(128, skip)
  const server = await startOn(disk)
  await makeStream(server)
  expect(await stores(server, 100_000)).toBe(true)
  disk.fill()
  await waitUntil(async () => !(await stores(server, 100_000)), {
    timeoutMs: 20_000,
    what: 'the store takes no more',
  })
  disk.release()
  await waitUntil(() => stores(server, 100_000), { timeoutMs: 20_000, what: 'the store takes more' })
}, 60_000)

test('a store grows with its disk, and its server runs on', async ({ skip }) => {
  const disk = await diskOf(128, skip)
  const server = await startOn(disk)
  const { pid } = server
  await disk.resize(256)
  await waitUntil(() => limitOf(disk) > 220 * mebibyte, { timeoutMs: 20_000 })
  // While it reloads its configuration, which cuts off those who are just entering.
  expect(await makeStream(server)).toContain('"did_create":true')
  for (let i = 0; i < 36; i++) expect(await stores(server, 4_000_000)).toBe(true)
  expect(server.pid).toBe(pid)
  expect(server.disk().storeBytesMax).toBe(limitOf(disk))
}, 60_000)

test('on a disk without room the server is not started, and it is said why', async ({ skip }) => {
  const disk = await diskOf(128, skip)
  disk.fill(mebibyte)
  await expect(startManaged({ dataDir: disk.path, graceMs: 100 })).rejects.toMatchObject({
    id: 'StorageFull',
    message: expect.stringContaining(join(disk.path, 'nats')) as string,
  })
})
