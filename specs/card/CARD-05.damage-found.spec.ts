import { cpSync, openSync, closeSync, readSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkRecord, planRepair, repair, verify, type RepairKind } from '@kiroku/audit'
import { decodeCheckpoint } from '@kiroku/engine'
import { temporaryFolder, waitUntil, type TemporaryFolder } from '@kiroku/testkit'
import {
  blockFiles,
  blockFolder,
  blockRecords,
  queuePerPartition,
  startOnDisk,
  type DiskWorld,
} from '../harness/index.ts'

const partitions = 3
const [damagedQueue, ...otherQueues] = queuePerPartition(partitions) as [string, ...string[]]
const by = { name: 'operator', origin: 'spec' }
const start = (folder: string): Promise<DiskWorld> =>
  startOnDisk({ storeDir: join(folder, 'store'), notesDir: join(folder, 'node'), partitions })

/** A store with three block files of 8 MiB in partition 0, its newest checkpoint before the end. */
let filled: TemporaryFolder

beforeAll(async () => {
  filled = await temporaryFolder()
  await using world = await start(filled.path)
  await world.engine.start()
  const large = 'x'.repeat(60_000)
  for (const queue of [damagedQueue, ...otherQueues]) {
    await world.client.queues.create(queue)
    for (let n = 0; n < (queue === damagedQueue ? 40 : 2); n++)
      await world.client.sendBatch(
        queue,
        Array.from({ length: 8 }, (_, i) => ({ body: `${n}.${i} ${large}` })),
      )
  }
  expect((await world.client.partitions())[0]!.checkpointSeq).toBeGreaterThan(0)
})
afterAll(() => filled.remove())

/** The block files of the partition that is damaged. */
const blocksIn = (folder: string): string[] => blockFiles(blockFolder(join(folder, 'store'), 0))

const flip = (file: string, at: number): void => {
  const handle = openSync(file, 'r+')
  const byte = Buffer.alloc(1)
  readSync(handle, byte, 0, 1, at)
  byte[0]! ^= 0x10
  writeSync(handle, byte, 0, 1, at)
  closeSync(handle)
}

/** Bytes of a record that holds bodies; what a checkpoint or a delivery notes is far smaller. */
const bodiesBytesMin = 100_000

/** Flips a byte in the middle of the last record of a file, or of the last with bodies; gives its sequence. */
const flipLastOf = (file: string, which: 'of all' | 'with bodies' = 'of all'): number => {
  const least = which === 'of all' ? 0 : bodiesBytesMin
  const { seq, at, end } = blockRecords(file).findLast((record) => record.end - record.at > least)!
  flip(file, (at + end) >> 1)
  return seq
}

/** Cuts a file off in the middle of the record that is so far from its beginning; gives its sequence. */
const cutAt = (file: string, place: number): number => {
  const { seq, at, end } = blockRecords(file).at(place)!
  truncateSync(file, (at + end) >> 1)
  return seq
}

/** Removes a file; gives the first sequence that was in it. */
const remove = (file: string): number => {
  const { seq } = blockRecords(file)[0]!
  rmSync(file)
  return seq
}

/** The server finds its store as after a crash, and takes what it finds for all that there was. */
const forgetIndex = (folder: string): void => rmSync(join(blockFolder(join(folder, 'store'), 0), 'index.db'))

interface Damage {
  readonly what: string
  /** When the engine by itself closes the partition. */
  readonly noticed: 'at once' | 'when it is read'
  /** How the partition is reopened. */
  readonly kind: RepairKind
  /** Does it, and gives the first sequence that is not what was written. */
  readonly damage: (folder: string) => number
}

const damages: readonly Damage[] = [
  {
    what: 'a byte flipped in the newest block',
    noticed: 'at once',
    kind: 'void',
    damage: (folder) => flipLastOf(blocksIn(folder)[2]!),
  },
  {
    what: 'a byte flipped in an old block, before the newest checkpoint',
    noticed: 'when it is read',
    kind: 'bridge',
    damage: (folder) => flipLastOf(blocksIn(folder)[0]!, 'with bodies'),
  },
  {
    what: 'a byte flipped in an old block, and the index gone',
    noticed: 'at once',
    kind: 'bridge',
    damage: (folder) => {
      forgetIndex(folder)
      return flipLastOf(blocksIn(folder)[0]!)
    },
  },
  {
    what: 'the newest block cut at its end',
    noticed: 'at once',
    kind: 'void',
    damage: (folder) => cutAt(blocksIn(folder)[2]!, -1),
  },
  {
    what: 'the newest block cut at its end, and the index gone',
    noticed: 'at once',
    kind: 'lostEnd',
    damage: (folder) => {
      forgetIndex(folder)
      return cutAt(blocksIn(folder)[2]!, -1)
    },
  },
  {
    what: 'an old block cut at its end',
    noticed: 'at once',
    kind: 'bridge',
    damage: (folder) => cutAt(blocksIn(folder)[0]!, -1),
  },
  {
    what: 'an old block cut in its middle',
    noticed: 'at once',
    kind: 'bridge',
    damage: (folder) => cutAt(blocksIn(folder)[1]!, 8),
  },
  {
    what: 'the first block removed',
    noticed: 'at once',
    kind: 'bridge',
    damage: (folder) => remove(blocksIn(folder)[0]!),
  },
  {
    what: 'a block in the middle removed',
    noticed: 'at once',
    kind: 'bridge',
    damage: (folder) => remove(blocksIn(folder)[1]!),
  },
  {
    what: 'the newest block removed, and the newest checkpoint with it',
    noticed: 'at once',
    kind: 'void',
    damage: (folder) => remove(blocksIn(folder)[2]!),
  },
]

const serves = async (world: DiskWorld, queue: string): Promise<void> => {
  await world.client.send(queue, 'still here')
  const [message] = await world.client.receive(queue, { max: 1, waitMs: 5_000 })
  await message!.ack()
}

describe('damage on the disk of the server', () => {
  it.each(damages)(
    '[CARD-05] $what is found, closes its partition $noticed, and is repaired on request',
    async ({ noticed, kind, damage }) => {
      await using folder = await temporaryFolder()
      cpSync(filled.path, folder.path, { recursive: true })
      expect(blocksIn(folder.path)).toHaveLength(3)
      const seq = damage(folder.path)
      await using world = await start(folder.path)
      const { client, engine, log } = world
      const tails = world.tails()

      // Verification and the doctor's look name the first record that is not what was written, and no other partition
      const problems = async () => [
        (await verify(log, { decodeCheckpoint, tails })).partitions.map(({ problem }) => problem?.seq),
        (await checkRecord(log, { decodeCheckpoint, tails, bytesMax: Infinity })).map(
          ({ problem }) => problem?.seq,
        ),
      ]
      const onlyThere = [seq, undefined, undefined]
      expect(await problems()).toEqual([onlyThere, onlyThere])

      // The engine serves the other partitions, and closes this one
      await engine.start()
      for (const queue of otherQueues) await serves(world, queue)
      const states = async () => (await client.partitions()).map(({ state }) => state)
      if (noticed === 'when it is read') {
        expect(await states()).toEqual(['Active', 'Active', 'Active'])
        await waitUntil(
          async () => {
            await client.receive(damagedQueue, { max: 8, waitMs: 0 }).catch(() => [])
            return (await states())[0] !== 'Active'
          },
          { timeoutMs: 30_000 },
        )
        await expect(client.send(damagedQueue, 'refused')).rejects.toThrow(`record ${seq}`)
      }
      expect(await states()).toEqual(['Quarantined', 'Active', 'Active'])
      await expect(client.send(damagedQueue, 'refused')).rejects.toMatchObject({ id: 'Quarantined' })

      // A repair shows what it costs, reopens the partition, and the record is whole from there on
      const plan = await planRepair(log, 0, { decodeCheckpoint, tails })
      expect(plan).toMatchObject({ partition: 0, problem: { seq } })
      expect(plan.kind).toBe(kind)
      expect(plan.lost.unreadable > 0).toBe(kind !== 'lostEnd')
      await repair(log, 0, { decodeCheckpoint, tails, by, note: 'a damaged disk' })
      await engine.stop('drain')
      await engine.start()
      expect(await states()).toEqual(['Active', 'Active', 'Active'])
      await serves(world, damagedQueue)
      const { ok, partitions: reports } = await verify(log, { decodeCheckpoint, tails: world.tails() })
      expect(reports.map(({ problem }) => problem)).toEqual([undefined, undefined, undefined])
      expect(ok).toBe(true)
      expect(reports[0]!.repaired).toMatchObject([{ note: 'a damaged disk', by }])
    },
  )

  it('[CARD-05] a stream that NATS cannot load closes its partition, and a repair brings it back with all it had', async () => {
    await using folder = await temporaryFolder()
    cpSync(filled.path, folder.path, { recursive: true })
    const file = join(blockFolder(join(folder.path, 'store'), 0), '..', 'meta.inf')
    flip(file, statSync(file).size >> 1)
    await using world = await start(folder.path)
    const { client, engine, log } = world
    await engine.start()
    const states = async () => (await client.partitions()).map(({ state }) => state)
    expect(await states()).toEqual(['Quarantined', 'Active', 'Active'])
    await expect(client.send(damagedQueue, 'refused')).rejects.toMatchObject({
      id: 'Quarantined',
      message: expect.stringContaining('KIROKU_main_0') as string,
    })
    for (const queue of otherQueues) await serves(world, queue)
    const looked = await verify(log, { decodeCheckpoint, tails: world.tails() })
    expect(looked.partitions.map(({ ok }) => ok)).toEqual([false, true, true])

    expect(await planRepair(log, 0, { decodeCheckpoint })).toMatchObject({ kind: 'missing' })
    await repair(log, 0, { decodeCheckpoint, by, note: 'a damaged disk' })
    await engine.stop('drain')
    await engine.start()
    expect(await states()).toEqual(['Active', 'Active', 'Active'])
    await serves(world, damagedQueue)
    const sent = (await client.queues.describe(damagedQueue)).counts.sent
    expect(sent).toBe(40 * 8 + 1)
    expect((await verify(log, { decodeCheckpoint, tails: world.tails() })).ok).toBe(true)
  })
})
