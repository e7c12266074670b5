import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createClient, inProcess, type Client } from '@kiroku/client'
import { liveTime } from '@kiroku/engine'
import { createMemoryLog } from '@kiroku/log'
import { waitUntil } from '@kiroku/testkit'
import { Engine, readRecord } from '../harness/index.ts'

/** Partition time counts whole ms, so a span of it may seem shorter by one. */
const graceMs = 1

describe('every kind of timer, once in real time: it comes, and not early', () => {
  let engine: Engine
  let client: Client

  beforeEach(async () => {
    engine = new Engine({ log: createMemoryLog({ partitions: 1 }), time: liveTime })
    await engine.start()
    client = createClient(inProcess(engine))
  })

  afterEach(async () => {
    await client.close()
    await engine.stop('drain')
  })

  /** Runs `act`, waits for its end, and expects that it took `ms` at least. */
  const lasts = async <A>(ms: number, act: () => Promise<A>): Promise<A> => {
    const begunMs = performance.now()
    const outcome = await act()
    expect(performance.now() - begunMs).toBeGreaterThanOrEqual(ms - graceMs)
    return outcome
  }

  const receive = () => client.receive('mail', { waitMs: 10_000, mode: 'push' })

  it('[CF-10] a delay', async () => {
    await client.queues.create('mail')
    const received = await lasts(150, async () => {
      await client.send('mail', 'x', { delayMs: 150 })
      return receive()
    })
    expect(received).toMatchObject([{ attempt: 1 }])
  })

  it('[SQS-01] the end of a lease', async () => {
    await client.queues.create('mail', { leaseMs: 150 })
    await client.send('mail', 'x')
    const received = await lasts(150, async () => {
      expect(await receive()).toMatchObject([{ attempt: 1 }])
      return receive()
    })
    expect(received).toMatchObject([{ attempt: 2 }])
  })

  it('[SQS-02] the end of a lease that a heartbeat extends', async () => {
    await client.queues.create('mail', { leaseMs: 150, batchWaitMs: 0 })
    await client.send('mail', 'x')
    let done: () => void = () => {}
    const working = client.consume('mail', () => new Promise<void>((resolve) => (done = resolve)))
    // Five extensions, one every third of a lease, are more than a lease is long
    const extended = async () =>
      (await readRecord(engine.log)).filter(({ type }) => type === 'LeaseExtended').length
    await waitUntil(async () => (await extended()) >= 5)
    expect((await client.queues.describe('mail')).counts).toMatchObject({ inflight: 1, redelivered: 0 })
    done()
    await waitUntil(async () => (await client.queues.describe('mail')).counts.committed === 1)
    await working.stop()
  })

  it('[CF-12] the pause before a retry', async () => {
    await client.queues.create('mail')
    await client.send('mail', 'x')
    const [first] = await receive()
    const received = await lasts(150, async () => {
      await first!.retry({ delayMs: 150 })
      return receive()
    })
    expect(received).toMatchObject([{ attempt: 2 }])
  })

  it('[CARD-03] the wait for a fuller batch', async () => {
    await client.queues.create('mail')
    const received = await lasts(150, async () => {
      await client.sendBatch('mail', [{ body: 'a' }, { body: 'b' }])
      return client.receive('mail', { max: 10, waitMs: 10_000, batchWaitMs: 150 })
    })
    expect(received).toHaveLength(2)
  })

  it('[SQS-04] a long poll', async () => {
    await client.queues.create('mail')
    expect(await lasts(150, () => client.receive('mail', { waitMs: 150 }))).toEqual([])
  })

  it('[CF-17] the end of retention', async () => {
    await client.queues.create('mail', { retentionMs: 1_000 })
    await lasts(1_000, async () => {
      await client.send('mail', 'x')
      await waitUntil(async () => (await client.queues.describe('mail')).counts.discarded === 1)
    })
  })
})
