import { describe, expect, it } from 'vitest'
import { waitUntil } from '@kiroku/testkit'
import { createWorld, type World } from '../harness/index.ts'

const kilobyte = 'k'.repeat(1_000)

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

    // Then every one of them is there, also for a process that knows only what is left of the log
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
