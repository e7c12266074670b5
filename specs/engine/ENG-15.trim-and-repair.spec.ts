import { describe, expect, it } from 'vitest'
import { waitUntil } from '@kiroku/testkit'
import { Replay, planRepair, repair, verify } from '@kiroku/audit'
import { decodeCheckpoint } from '@kiroku/engine'
import { createWorld, readRecord, type World } from '../harness/index.ts'

const kilobyte = 'k'.repeat(1_000)
const day = 86_400_000

/** Sends ten messages of a kilobyte through the queue and out of it. */
const churn = async (world: World): Promise<void> => {
  await world.sendBatch('traffic', Array(10).fill(kilobyte))
  const messages = await world.receive('traffic', { max: 10 })
  await world.client.ack(messages.map(({ receipt }) => receipt))
}

const partition = async (world: World) => (await world.client.partitions())[0]!

/** Goes on until the log has lost its first `records` records. */
const churnUntilTrimmed = async (world: World, records: number): Promise<void> => {
  await waitUntil(
    async () => {
      await churn(world)
      const log = await world.log.partition(0)
      return (await log.state()).firstSeq > records
    },
    { timeoutMs: 30_000 },
  )
}

describe('the log is trimmed to its record limits', () => {
  it('[ENG-15] by bytes, and not one live message is lost', async () => {
    // Given a log that keeps 200 KB, and a message in each state at its very beginning
    await using world = await createWorld({
      recordBytes: 200_000,
      checkpoints: { bytesMin: 50_000, ageMs: 1e9 },
    })
    await world.queue('traffic')
    await world.queue('kept', { leaseMs: 3_600_000, deadLetter: 'dead', retriesMax: 0 })
    await world.sendBatch('kept', ['dead', 'in flight', 'waiting', 'ready'])
    await world.send('kept', 'delayed', { delayMs: 86_400_000 })
    const [dead, inflight] = await world.receive('kept', { max: 2 })
    await dead!.deadLetter('enough')
    await world.client.queues.update('kept', { retriesMax: 3 })
    const [waiting] = await world.receive('kept')
    await waiting!.retry({ delayMs: 7_200_000 })

    // When a multiple of that goes through, and the beginning is gone from the log
    await churnUntilTrimmed(world, 300)
    const { bytes } = await (await world.log.partition(0)).state()
    expect(bytes).toBeLessThan(600_000)

    // Then every one of them exists, even for a process that knows only what is left of the log
    await world.restart('crash')
    await inflight!.ack()
    const texts = async (queue: string) =>
      (await world.receive(queue, { max: 10 })).map((message) => message.text())
    expect(await texts('dead')).toEqual(['dead'])
    expect(await texts('kept')).toEqual(['ready'])
    await world.advance('1 day')
    expect((await texts('kept')).toSorted()).toEqual(['delayed', 'ready', 'waiting'])
    expect(await world.counts('kept')).toMatchObject({ sent: 5, committed: 1, deadLettered: 1, discarded: 0 })
  })

  it('[ENG-15] and waits for what is too much to be carried forward', async () => {
    // Given 100 live messages of a kilobyte at the beginning of a log that keeps 50 KB
    await using world = await createWorld({
      recordBytes: 50_000,
      checkpoints: { bytesMin: 50_000, ageMs: 1e9 },
    })
    await world.queue('traffic')
    await world.queue('kept')
    const kept = Array.from({ length: 100 }, (_, i) => `${i} ${kilobyte}`)
    await world.sendBatch('kept', kept)

    // When several checkpoints are made behind them
    await waitUntil(async () => {
      await churn(world)
      return (await world.record()).filter(({ type }) => type === 'Checkpointed').length >= 4
    })

    // Then they are all there, also for a process that has never seen them
    await world.restart('crash')
    const messages = await world.receive('kept', { max: 100 })
    expect(messages.map((message) => message.text())).toEqual(kept)

    // And when they are done, the log gets shorter
    const { firstSeq } = await partition(world)
    await world.client.ack(messages.map(({ receipt }) => receipt))
    await churnUntilTrimmed(world, firstSeq + 50)
  })

  it('[ENG-15] by time, and not sooner', async () => {
    // Given a log that keeps an hour, in which every 10 minutes something happens
    await using world = await createWorld({
      recordMs: 3_600_000,
      checkpoints: { bytesMin: 1e12, ageMs: 600_000 },
    })
    await world.queue('traffic')
    for (let i = 0; i < 30; i++) {
      const { checkpointSeq } = await partition(world)
      await churn(world)
      if (i > 0) await waitUntil(async () => (await partition(world)).checkpointSeq > checkpointSeq)
      await world.time.settle()
      await world.advance('10 minutes')
    }
    const [first] = await world.record()
    const ageMinutes = (Date.UTC(2026, 0, 1) + world.seconds * 1_000 - first!.at) / 60_000
    expect(ageMinutes).toBeGreaterThanOrEqual(60)
    expect(ageMinutes).toBeLessThanOrEqual(100)
  })

  it('[ENG-15] but never what a queue keeps for longer, available or delayed', async () => {
    // Given a log that keeps an hour, a queue that keeps 14 days, and something that happens every 10 minutes
    await using world = await createWorld({
      recordMs: 3_600_000,
      checkpoints: { bytesMin: 1e12, ageMs: 600_000 },
    })
    await world.queue('traffic')
    await world.queue('kept', { retentionMs: 14 * day })
    await world.send('kept', 'available')
    await world.send('kept', 'delayed', { delayMs: 2 * day })

    // When the record of their sends is gone
    for (let i = 0; i < 30; i++) {
      const { checkpointSeq } = await partition(world)
      await churn(world)
      if (i > 0) await waitUntil(async () => (await partition(world)).checkpointSeq > checkpointSeq)
      await world.time.settle()
      await world.advance('10 minutes')
    }
    const [first] = await world.record()
    expect(first!.at).toBeGreaterThan(Date.UTC(2026, 0, 1) + 2 * 3_600_000)

    // Then both are there, also after a crash, until 14 days are over
    await world.restart('crash')
    expect(await world.counts('kept')).toMatchObject({ available: 1, delayed: 1 })
    await world.advance('2 days')
    const messages = await world.receive('kept', { max: 10, leaseMs: 1_000 })
    expect(messages.map((message) => message.text())).toEqual(['available', 'delayed'])
    await world.advance('11 days')
    expect(await world.counts('kept')).toMatchObject({ available: 2, discarded: 0 })
    await world.advance('1 day')
    expect(await world.counts('kept')).toMatchObject({ available: 0, discarded: 2 })
  })

  it('[ENG-15] with no more copies of the state than that and recovery need', async () => {
    // Given a log that keeps a week, delayed messages, and something that happens every hour, also across a restart
    await using world = await createWorld({ checkpoints: { bytesMin: 1e12, ageMs: 3_000_000 } })
    await world.queue('traffic')
    await world.queue('later', { retentionMs: 7 * day })
    for (let n = 0; n < 10; n++) await world.sendBatch('later', Array(100).fill('x'), { delayMs: 6 * day })
    const handle = await world.log.partition(0)
    let stored = 0
    let lastSeq = 0
    const pass = async (hours: number) => {
      for (let hour = 0; hour < hours; hour++) {
        await churn(world)
        if (hour > 0) await waitUntil(async () => (await partition(world)).checkpointSeq > lastSeq)
        if (hour > 0) stored++
        lastSeq = (await partition(world)).checkpointSeq
        await world.time.settle()
        await world.advance('1 hour')
      }
    }

    // When ten days pass
    await pass(100)
    await world.restart('crash')
    await pass(140)

    // Then there are a dozen checkpoints, and they and their bytes are reported
    expect(stored).toBeGreaterThan(200)
    const { checkpoints } = await partition(world)
    const seqs = await handle.checkpoints.list()
    expect(seqs.length).toBeLessThanOrEqual(13)
    const sizes = await Promise.all(seqs.map((seq) => handle.checkpoints.size(seq)))
    expect(checkpoints).toEqual({ count: seqs.length, bytes: sizes.reduce((sum, n) => sum! + n!, 0) })

    // And the record begins a week ago or, by the distance of two of them, sooner; all of it can be verified
    const [first] = await world.record()
    const ageDays = (Date.UTC(2026, 0, 1) + world.seconds * 1_000 - first!.at) / day
    expect(ageDays).toBeGreaterThanOrEqual(7)
    expect(ageDays).toBeLessThanOrEqual(8)
    const { firstSeq } = await handle.state()
    expect(firstSeq).toBe(seqs.at(-1))
    const { ok, partitions } = await verify(world.log, { decodeCheckpoint, deep: true })
    expect(partitions.flatMap(({ problem }) => problem ?? [])).toEqual([])
    expect(ok).toBe(true)
    const past = await Replay.open(handle, { decodeCheckpoint })
    expect(past.seq).toBe(firstSeq)
  })

  it('[ENG-15] and within its limits nothing is', async () => {
    await using world = await createWorld({ checkpoints: { bytesMin: 20_000, ageMs: 1e9 } })
    await world.queue('traffic')
    await waitUntil(async () => {
      await churn(world)
      const checkpoints = (await world.record()).filter(({ type }) => type === 'Checkpointed')
      return checkpoints.length >= 3
    })
    expect((await world.record())[0]).toMatchObject({ type: 'OwnerChanged', seq: 1 })
  })
})

describe('a damaged partition', () => {
  const by = { name: 'operator', origin: 'spec' }
  const order = { decodeCheckpoint, by, note: 'the disk was replaced' }

  /** A partition with ten messages in its queue, each in its own frame, and the sequences of these. */
  const tenMessages = async (world: World): Promise<number[]> => {
    await world.queue('mail')
    for (let i = 0; i < 10; i++) await world.send('mail', i)
    return (await world.record()).filter(({ type }) => type === 'Enqueued').map(({ seq }) => seq)
  }

  const bodies = async (world: World): Promise<string[]> =>
    (await world.receive('mail', { max: 100 })).map((message) => message.text())

  it('[ENG-15] is closed, says where the damage is, and a restart does not open it', async () => {
    await using world = await createWorld()
    const seqs = await tenMessages(world)
    await world.engine.stop('drain')
    world.log.faults.damage(0, seqs[5]!)
    for (let i = 0; i < 2; i++) {
      await world.engine.start()
      const refusal = await world.client.send('mail', 'x').catch((error: unknown) => error)
      expect(refusal).toMatchObject({ id: 'Quarantined', message: expect.stringContaining(`${seqs[5]}`) })
      expect(await partition(world)).toMatchObject({ state: 'Quarantined' })
      await world.engine.stop('drain')
    }
    expect(await planRepair(world.log, 0, order)).toMatchObject({
      kind: 'void',
      from: seqs[5],
      lost: { unreadable: 1, sent: 4 },
    })
  })

  it('[ENG-15] is opened again by an explicit, recorded act, with everything from before the damage', async () => {
    // Given a damaged record with five messages before it
    await using world = await createWorld()
    const seqs = await tenMessages(world)
    await world.engine.stop('drain')
    world.log.faults.damage(0, seqs[5]!)

    // When an operator repairs it
    expect(await repair(world.log, 0, order)).toMatchObject([{ kind: 'void' }])
    await world.engine.start()

    // Then the five are there, new messages follow them, and the act is on record
    await world.send('mail', 'new')
    expect(await bodies(world)).toEqual(['0', '1', '2', '3', '4', 'new'])
    expect((await world.client.partitions())[0]).toMatchObject({ state: 'Active' })
    const behind = await readRecord(world.log, 0, seqs[9]! + 1)
    const repaired = behind.filter(({ type }) => type === 'Repaired')
    expect(repaired).toMatchObject([{ by, note: 'the disk was replaced' }])
  })

  it('[ENG-15] with a checkpoint behind the damage loses no message at all', async () => {
    // Given a checkpoint that was made behind a record that is damaged later
    await using world = await createWorld({ checkpoints: { bytesMin: 2_000, ageMs: 1e9 } })
    const seqs = await tenMessages(world)
    await world.queue('traffic')
    await waitUntil(async () => {
      await churn(world)
      return (await partition(world)).checkpointSeq > seqs[9]!
    })
    const [done] = await world.receive('mail')
    await done!.ack()
    await world.engine.stop('drain')
    world.log.faults.damage(0, seqs[0]!)
    expect(await planRepair(world.log, 0, order)).toMatchObject({ kind: 'bridge', lost: { bodies: 0 } })

    await repair(world.log, 0, order)
    await world.engine.start()
    expect(await planRepair(world.log, 0, order)).toMatchObject({ kind: 'none' })
    expect(await bodies(world)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9'])
    expect(await world.counts('mail')).toMatchObject({ sent: 10, committed: 1, discarded: 0 })
  })
})
