import { verify } from '@kiroku/audit'
import { decodeCheckpoint } from '@kiroku/engine'
import { describe, expect, it } from 'vitest'
import { createWorld, replay, untilCheckpoint, type World } from '../harness/index.ts'

const texts = async (world: World, subscription: string, max = 100): Promise<string[]> =>
  (await world.receive('orders', { subscription, max })).map((message) => message.text())

const countsOf = async (world: World, name: string) =>
  (await world.client.queues.describe('orders')).subscriptions.find((sub) => sub.name === name)!.counts

describe('several subscriptions of a queue', () => {
  it('[ENG-04] get every message each, and settle it each for itself', async () => {
    await using world = await createWorld()
    await world.queue('orders')
    await world.client.queues.subscriptions.create('orders', 'billing')
    await world.client.queues.subscriptions.create('orders', 'audit')
    await world.sendBatch('orders', ['a', 'b', 'c'])

    for (const message of await world.receive('orders', { subscription: 'billing', max: 2 }))
      await message.ack()
    expect(await texts(world, 'audit')).toEqual(['a', 'b', 'c'])

    expect(await countsOf(world, 'billing')).toMatchObject({ committed: 2, available: 1, inflight: 0 })
    expect(await countsOf(world, 'audit')).toMatchObject({ committed: 0, available: 0, inflight: 3 })
    expect(await countsOf(world, 'main')).toMatchObject({ committed: 0, available: 3, inflight: 0 })
  })

  it('[ENG-04] share one stored body', async () => {
    await using world = await createWorld()
    await world.queue('orders')
    for (let i = 0; i < 20; i++) await world.client.queues.subscriptions.create('orders', `s${i}`)
    const bytes = async () => (await (await world.log.partition(0)).state()).bytes
    const before = await bytes()
    await world.send('orders', 'k'.repeat(50_000))
    expect((await bytes()) - before).toBeLessThan(51_000)
    for (let i = 0; i < 20; i++) expect((await texts(world, `s${i}`))[0]).toHaveLength(50_000)
  })

  it('[ENG-04] each have their own retries, leases and dead-letter queue', async () => {
    // Given one group that may fail twice and one that may not fail at all, over the same messages
    await using world = await createWorld()
    const { subscriptions } = world.client.queues
    await world.queue('orders', { batchWaitMs: 0, retry: { kind: 'fixed', delayMs: 10_000 } })
    await subscriptions.create('orders', 'patient', { retriesMax: 2, deadLetter: 'patient-dead' })
    await subscriptions.create('orders', 'strict', { retriesMax: 0, deadLetter: 'strict-dead' })
    const fail = (): never => {
      throw new Error('closed')
    }
    const patient = await world.consumer('orders', fail, { subscription: 'patient' })
    const strict = await world.consumer('orders', fail, { subscription: 'strict' })

    await world.send('orders', 'a')
    await world.advance('1 minute')

    expect(patient.of('a').map(({ attempt }) => attempt)).toEqual([1, 2, 3])
    expect(strict.of('a').map(({ attempt }) => attempt)).toEqual([1])
    for (const queue of ['patient-dead', 'strict-dead'])
      expect(await world.counts(queue)).toMatchObject({ available: 1 })
    const [dead] = await world.receive('patient-dead')
    expect(dead!.lineage).toMatchObject({ queue: 'orders', attempts: 3, error: 'closed' })
    expect(await countsOf(world, 'main')).toMatchObject({ available: 1, deadLettered: 0 })
  })

  it('[ENG-04] follow the settings of the queue where they set nothing for themselves', async () => {
    await using world = await createWorld()
    await world.queue('orders', { leaseMs: 60_000 })
    const { subscriptions, update } = world.client.queues
    await subscriptions.create('orders', 'own', { leaseMs: 5_000 })
    await subscriptions.create('orders', 'none')
    await update.call(world.client.queues, 'orders', { leaseMs: 20_000 })
    await world.send('orders', 'a')
    const leases: number[] = []
    for (const subscription of ['own', 'none', 'main']) {
      const [message] = await world.receive('orders', { subscription })
      leases.push(message!.leaseUntil - message!.enqueuedAt)
    }
    expect(leases).toEqual([5_000, 20_000, 20_000])
  })

  it('[ENG-04] are paused each for itself', async () => {
    await using world = await createWorld()
    await world.queue('orders')
    const { subscriptions } = world.client.queues
    await subscriptions.create('orders', 'billing')
    await subscriptions.pause('orders', 'billing')
    await world.send('orders', 'a')
    expect([await texts(world, 'billing'), await texts(world, 'main')]).toEqual([[], ['a']])
    await subscriptions.resume('orders', 'billing')
    expect(await texts(world, 'billing')).toEqual(['a'])
  })

  it('[ENG-04] leave each other untouched when one is deleted, and its receipts name nothing', async () => {
    await using world = await createWorld()
    await world.queue('orders')
    const { subscriptions } = world.client.queues
    await subscriptions.create('orders', 'billing')
    await subscriptions.create('orders', 'audit')
    await world.sendBatch('orders', ['a', 'b'])
    const [billed] = await world.receive('orders', { subscription: 'billing' })
    const [audited] = await world.receive('orders', { subscription: 'audit' })
    const before = await countsOf(world, 'audit')

    await subscriptions.delete('orders', 'billing')

    expect(await countsOf(world, 'audit')).toEqual(before)
    await audited!.ack()
    await expect(billed!.ack()).rejects.toMatchObject({ id: 'UnknownReceipt' })
    await expect(texts(world, 'billing')).rejects.toMatchObject({ id: 'UnknownSubscription' })
    expect(await texts(world, 'audit')).toEqual(['b'])
    // One created again under the same name has nothing of the old one.
    await subscriptions.create('orders', 'billing')
    expect(await texts(world, 'billing')).toEqual([])
    await expect(billed!.ack()).rejects.toMatchObject({ id: 'UnknownReceipt' })
  })

  it.each(['drain', 'crash'] as const)(
    '[ENG-04] stand as they stood after a %s of the engine, with or without a checkpoint',
    async (how) => {
      await using world = await createWorld({ checkpoints: { bytesMin: 10_000, ageMs: 1e12 } })
      await world.queue('orders', { leaseMs: 3_600_000 })
      const { subscriptions } = world.client.queues
      await subscriptions.create('orders', 'billing', { retriesMax: 1 })
      await world.sendBatch('orders', ['a', 'b', 'c', 'd'])
      const [a, b] = await world.receive('orders', { subscription: 'billing', max: 3 })
      await a!.ack()
      await b!.retry({ delayMs: 7_200_000 })
      await untilCheckpoint(world.client)
      await subscriptions.pause('orders', 'main')
      // The owner keeps consumers and recent measurements in memory only; everything else survives it.
      const standing = async () =>
        (await world.client.queues.describe('orders')).subscriptions.map(
          ({ batches: _, consumers: __, ...rest }) => rest,
        )
      const before = await standing()

      await world.restart(how, '10 seconds')

      expect(await standing()).toEqual(before)
      expect(await texts(world, 'billing')).toEqual(['d'])
      const state = await replay(world.log)
      expect(state.names.get('orders')!.named('billing')).toMatchObject({ committed: 1, waitingRetry: 1 })
      const { partitions } = await verify(world.log, { decodeCheckpoint, deep: true })
      expect(partitions[0]!.problem).toBeUndefined()
    },
  )
})
