import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkRecord, planRepair, repair, verify } from '@kiroku/audit'
import { decodeCheckpoint } from '@kiroku/engine'
import { temporaryFolder, waitUntil, type TemporaryFolder } from '@kiroku/testkit'
import { LoopDisk, queuePerPartition, startOnDisk, whyNoLoopDisk } from '../harness/index.ts'

const partitions = 2
const queues = queuePerPartition(partitions)
const by = { name: 'operator', origin: 'spec' }

let folder: TemporaryFolder
let whyNot: string | undefined
beforeAll(async () => {
  folder = await temporaryFolder()
  whyNot = await whyNoLoopDisk(folder.path)
})
afterAll(() => folder.remove())

/** A disk, and what is left of it after a power cut; everything is unmounted at the end, however that comes. */
const powerCut = async (
  name: string,
  syncInterval: string,
  use: (world: {
    readonly disk: LoopDisk
    /** A server and an engine on the disk; before the cut on the one that lives, after it on what is left. */
    readonly start: () => ReturnType<typeof startOnDisk>
    readonly cut: () => Promise<void>
  }) => Promise<void>,
): Promise<void> => {
  const at = (...path: string[]) => join(folder.path, name, ...path)
  mkdirSync(at())
  await using stack = new AsyncDisposableStack()
  const disk = stack.use(await LoopDisk.make(at('disk.img'), at('disk'), 256))
  const place = { storeDir: at('disk', 'store'), notesDir: at('node') }
  mkdirSync(place.storeDir)
  await use({
    disk,
    start: () => startOnDisk({ ...place, partitions, syncInterval }),
    cut: async () => {
      // The engine's own disk keeps what it noted, and its process goes with the power.
      cpSync(at('node'), at('node after'), { recursive: true })
      await disk.cutPower(at('after.img'))
      const left = stack.use(await LoopDisk.mount(at('after.img'), at('after')))
      Object.assign(place, { storeDir: join(left.path, 'store'), notesDir: at('node after') })
    },
  })
}

const isSkipped = (skip: (note: string) => void): void => {
  if (whyNot === undefined) return
  if (process.env['KIROKU_REQUIRE_ALL'] === '1') throw new Error(`no disk can be mounted here: ${whyNot}`)
  console.warn(`The power-cut specs are SKIPPED: no disk can be mounted here (root is needed): ${whyNot}`)
  skip(whyNot)
}

it('[CARD-02] a power cut takes nothing that was acknowledged where the server syncs always', async ({
  skip,
}) => {
  isSkipped(skip)
  await powerCut('always', 'always', async ({ start, cut }) => {
    const acknowledged: string[] = []
    {
      await using world = await start()
      await world.engine.start()
      for (const queue of queues) await world.client.queues.create(queue)
      let on = true
      const senders = queues.map(async (queue) => {
        for (let n = 0; on; n++) {
          await world.client.send(queue, `${queue} ${n}`)
          acknowledged.push(`${queue} ${n}`)
        }
      })
      await waitUntil(() => acknowledged.length > 200, { timeoutMs: 60_000 })
      const before = acknowledged.length
      await cut()
      on = false
      await Promise.all(senders)
      acknowledged.length = before
    }
    await using world = await start()
    await world.engine.start()
    const found = new Set<string>()
    for (const queue of queues)
      for (;;) {
        const messages = await world.client.receive(queue, { max: 100, waitMs: 0 })
        if (messages.length === 0) break
        for (const message of messages) found.add(message.text())
      }
    expect(acknowledged.filter((text) => !found.has(text))).toEqual([])
    const report = await verify(world.log, { decodeCheckpoint, tails: world.tails() })
    expect(report.partitions.map(({ problem }) => problem)).toEqual([undefined, undefined])
  })
})

it('[CARD-05] where the server syncs now and then, it is named which partitions lost their end, and from where', async ({
  skip,
}) => {
  isSkipped(skip)
  await powerCut('default', '2m', async ({ disk, start, cut }) => {
    let keptSeq = 0
    const lastSeq = async ({ log }: Awaited<ReturnType<typeof start>>, n: number) =>
      (await (await log.partition(n)).state()).lastSeq
    {
      await using world = await start()
      await world.engine.start()
      for (const queue of queues) {
        await world.client.queues.create(queue)
        for (let n = 0; n < 20; n++) await world.client.send(queue, `kept ${n}`)
      }
    }
    await disk.flush()
    {
      // One partition continues: its owner notes what it saw stored.
      await using world = await start()
      keptSeq = await lastSeq(world, 0)
      await world.engine.start()
      for (let n = 0; n < 50; n++) await world.client.send(queues[0]!, `lost ${n}`)
      const end = await lastSeq(world, 0)
      await waitUntil(() => world.tails().find(({ partition }) => partition === 0)?.seq === end)
      await cut()
    }
    await using world = await start()
    const { log, engine, client } = world
    const tails = world.tails()
    const leftSeq = await lastSeq(world, 0)
    expect(leftSeq).toBeGreaterThanOrEqual(keptSeq)
    expect(leftSeq).toBeLessThan(tails.find(({ partition }) => partition === 0)!.seq)
    const lost = { id: 'LogShortened', seq: leftSeq + 1 }
    const { partitions: verified } = await verify(log, { decodeCheckpoint, tails })
    const looked = await checkRecord(log, { decodeCheckpoint, tails, bytesMax: Infinity })
    expect(verified[0]!.problem).toMatchObject(lost)
    expect(looked[0]!.problem).toMatchObject(lost)

    await engine.start()
    expect((await client.partitions())[0]!.state).toBe('Quarantined')
    await expect(client.send(queues[0]!, 'refused')).rejects.toMatchObject({ id: 'Quarantined' })
    for (const { partition } of verified) {
      const plan = await planRepair(log, partition, { decodeCheckpoint, tails })
      if (partition === 0) expect(plan).toMatchObject({ kind: 'lostEnd', problem: lost })
      await repair(log, partition, { decodeCheckpoint, tails, by, note: 'a power cut' })
    }
    await engine.stop('drain')
    await engine.start()
    for (const queue of queues) await client.send(queue, 'on again')
    const again = await verify(log, { decodeCheckpoint, tails: world.tails() })
    expect(again.partitions.map(({ problem }) => problem)).toEqual([undefined, undefined])
  })
})
