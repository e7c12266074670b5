import { trace, verify } from '@kiroku/audit'
import { decodeCheckpoint } from '@kiroku/engine'
import type { StartPosition, SubscriptionSettings } from '@kiroku/client'
import { waitUntil } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { createWorld, replay, type World } from '../harness/index.ts'

const texts = async (world: World, subscription: string, max = 1_000): Promise<string[]> =>
  (await world.receive('orders', { subscription, max })).map((message) => message.text())

const countsOf = async (world: World, name: string) =>
  (await world.client.queues.describe('orders')).subscriptions.find((sub) => sub.name === name)!.counts

/** Opens a subscription, and lets what it finds of the past come. */
const open = async (
  world: World,
  name: string,
  start: StartPosition,
  settings: SubscriptionSettings = {},
): Promise<void> => {
  await world.client.queues.subscriptions.create('orders', name, { ...settings, start })
  await world.time.settle()
}

const reset = async (world: World, name: string, start: StartPosition): Promise<void> => {
  await world.client.queues.subscriptions.reset('orders', name, start)
  await world.time.settle()
}

/** Sends a message a minute, and has `main` done with each. */
const sendEachMinute = async (world: World, ...bodies: string[]): Promise<void> => {
  for (const body of bodies) {
    await world.send('orders', body)
    await (await world.receive('orders'))[0]!.ack()
    await world.advance('1 minute')
  }
}

const minute = 60_000

/** A time this many minutes after the world began. */
const after = (minutes: number): StartPosition => ({ time: Date.UTC(2026, 0, 1) + minutes * minute })

const expectSound = async (world: World): Promise<void> => {
  const { partitions } = await verify(world.log, { decodeCheckpoint, deep: true })
  for (const { problem } of partitions) expect(problem).toBeUndefined()
}

describe('a new subscription', () => {
  it.each<[string, StartPosition | undefined, string[]]>([
    ['at the latest, if nothing is said', undefined, ['new']],
    ['at the latest', 'latest', ['new']],
    ['at the earliest', 'earliest', ['a', 'b', 'c', 'd', 'new']],
    ['at a number', { number: 3 }, ['c', 'd', 'new']],
    ['at the number that is next', { number: 5 }, ['new']],
    ['at a time', after(1.5), ['c', 'd', 'new']],
    ['at the very time of a message', after(1), ['b', 'c', 'd', 'new']],
    ['at a time before all of them', after(-10_000), ['a', 'b', 'c', 'd', 'new']],
    ['at a time that is not yet', after(10_000), ['new']],
  ])('[ENG-05] begins %s', async (_, start, expected) => {
    await using world = await createWorld()
    await world.queue('orders')
    await sendEachMinute(world, 'a', 'b', 'c', 'd')
    await world.client.queues.subscriptions.create('orders', 's', start === undefined ? {} : { start })
    await world.time.settle()
    await world.send('orders', 'new')
    expect(await texts(world, 's')).toEqual(expected)
    await expectSound(world)
  })

  it('[ENG-05] gets the past with its times, ids, tags and attributes, and new attempts', async () => {
    await using world = await createWorld()
    await world.queue('orders', { retriesMax: 5 })
    const { messageId } = await world.client.send('orders', 'a', {
      tag: 'eu',
      attributes: { tenant: 'acme' },
    })
    await (await world.receive('orders'))[0]!.retry()
    const [before] = await world.receive('orders')
    await before!.ack()
    await world.advance('1 hour')
    await open(world, 's', 'earliest')
    const [message] = await world.receive('orders', { subscription: 's' })
    expect(message).toMatchObject({
      id: messageId,
      attempt: 1,
      tag: 'eu',
      attributes: { tenant: 'acme' },
      enqueuedAt: before!.enqueuedAt,
    })
    const { steps } = await trace(world.log, messageId)
    expect(steps.filter((s) => s.subscription === 's').map((s) => s.event)).toEqual([
      'RunsRestored',
      'Delivered',
    ])
  })

  it('[ENG-05] gets of the past only what its filter lets pass', async () => {
    await using world = await createWorld()
    await world.queue('orders')
    for (const tag of ['eu', 'us', 'eu']) await world.send('orders', `${tag} order`, { tag })
    await open(world, 's', 'earliest', { tags: ['us'] })
    expect(await texts(world, 's')).toEqual(['us order'])
    expect(await countsOf(world, 's')).toMatchObject({ sent: 3, discarded: 2 })
  })

  it('[ENG-05] gets delayed messages of the past when they are due, and in that order', async () => {
    await using world = await createWorld()
    await world.queue('orders')
    await world.send('orders', 'in 10 minutes', { delayMs: 10 * minute })
    await world.send('orders', 'in 2 minutes', { delayMs: 2 * minute })
    await world.send('orders', 'at once')
    await world.advance('3 minutes')
    await open(world, 's', 'earliest')
    const messages = await world.receive('orders', { subscription: 's', max: 10 })
    expect(messages.map((message) => message.text())).toEqual(['at once', 'in 2 minutes'])
    for (const message of messages) await message.ack()
    await world.advance('7 minutes')
    expect(await texts(world, 's')).toEqual(['in 10 minutes'])
  })

  it('[ENG-05] does not get what was purged or recalled, nor what is older than its retention', async () => {
    await using world = await createWorld()
    await world.queue('orders', { retentionMs: 60 * minute })
    await world.send('orders', 'purged')
    await world.client.queues.purge('orders')
    await world.send('orders', 'too old')
    await world.advance('50 minutes')
    const { messageId } = await world.client.send('orders', 'recalled', { delayMs: 5 * minute })
    await world.client.recall(messageId)
    await world.send('orders', 'fresh')
    await world.advance('20 minutes')
    await open(world, 's', 'earliest')
    expect(await texts(world, 's')).toEqual(['fresh'])
    await expectSound(world)
  })

  it('[ENG-05] has its own retries and dead-letter queue for the past', async () => {
    await using world = await createWorld({ partitions: 3 })
    await world.queue('orders')
    await sendEachMinute(world, 'a', 'b')
    await open(world, 's', 'earliest', { retriesMax: 0, deadLetter: 's-dead' })
    for (const message of await world.receive('orders', { subscription: 's', max: 2 }))
      await message.deadLetter('no')
    await world.advance('1 second')
    expect((await world.receive('s-dead', { max: 10 })).map((m) => m.text())).toEqual(['a', 'b'])
  })

  it('[ENG-05] keeps the order of message groups from the past into the present', async () => {
    await using world = await createWorld()
    await world.queue('orders', { groups: 'ordered' })
    for (const body of ['a1', 'b1', 'a2']) await world.send('orders', body, { group: body[0]! })
    await open(world, 's', 'earliest')
    await world.send('orders', 'b2', { group: 'b' })
    const seen: string[] = []
    for (;;) {
      const messages = await world.receive('orders', { subscription: 's', max: 1 })
      if (messages.length === 0) break
      seen.push(messages[0]!.text())
      await messages[0]!.ack()
    }
    expect(seen.filter((body) => body.startsWith('a'))).toEqual(['a1', 'a2'])
    expect(seen.filter((body) => body.startsWith('b'))).toEqual(['b1', 'b2'])
  })
})

describe('a reset', () => {
  it('[ENG-05] replays from there as a new generation, for consumers that continue', async () => {
    await using world = await createWorld()
    await world.queue('orders', { batchWaitMs: 0 })
    await world.client.queues.subscriptions.create('orders', 's')
    const consumer = await world.consumer('orders', () => {}, { subscription: 's' })
    await world.sendBatch('orders', ['a', 'b', 'c'])
    expect(consumer.batches.flatMap((batch) => batch.bodies)).toEqual(['a', 'b', 'c'])

    await reset(world, 's', { number: 2 })

    expect(consumer.batches.flatMap((batch) => batch.bodies)).toEqual(['a', 'b', 'c', 'b', 'c'])
    expect(await countsOf(world, 's')).toMatchObject({ sent: 2, committed: 2 })
    expect(await countsOf(world, 'main')).toMatchObject({ available: 3 })
    await expectSound(world)
  })

  it('[ENG-05] ends the receipts of the generation before', async () => {
    await using world = await createWorld()
    await world.queue('orders')
    await world.send('orders', 'a')
    const [before] = await world.receive('orders')
    await reset(world, 'main', 'earliest')
    await expect(before!.ack()).rejects.toMatchObject({ id: 'UnknownReceipt' })
    const [again] = await world.receive('orders')
    expect(again!.text()).toBe('a')
    await expect(before!.ack()).rejects.toMatchObject({ id: 'UnknownReceipt' })
    await again!.ack()
    expect(await countsOf(world, 'main')).toMatchObject({ committed: 1, available: 0 })
  })

  it('[ENG-05] to the latest leaves the past behind', async () => {
    await using world = await createWorld()
    await world.queue('orders')
    await world.sendBatch('orders', ['a', 'b'])
    await reset(world, 'main', 'latest')
    await world.send('orders', 'c')
    expect(await texts(world, 'main')).toEqual(['c'])
  })

  it('[ENG-05] happens once, though its answer is lost and the client asks again', async () => {
    await using world = await createWorld()
    await world.queue('orders')
    await world.send('orders', 'a')
    const before = (await world.record()).length
    world.engine.loseAnswers(2)
    const resetting = world.client.queues.subscriptions.reset('orders', 'main', 'earliest')
    await world.advance('1 minute')
    await resetting
    const facts = (await world.record()).slice(before)
    expect(facts.filter(({ type }) => type === 'SubscriptionReset')).toHaveLength(1)
    expect(await texts(world, 'main')).toEqual(['a'])
  })
})

describe('an engine that ends while the past is restored', () => {
  it.each(['drain', 'crash'] as const)('[ENG-05] is followed by one that continues it: %s', async (how) => {
    await using world = await createWorld()
    await world.queue('orders')
    // Other tags make other runs, so that it takes several facts to restore them all.
    const bodies = Array.from({ length: 9_000 }, (_, i) => `${i}`)
    await world.client.sendBatch(
      'orders',
      bodies.map((body, i) => ({ body, tag: i % 2 === 0 ? 'even' : 'odd' })),
    )
    world.log.faults.slow(5)
    const creating = world.client.queues.subscriptions.create('orders', 's', { start: 'earliest' })
    while (restoredIn(world) === 0) await world.advance('5 millis')
    await creating
    expect(restoredIn(world)).toBeLessThan(bodies.length)
    world.log.faults.calm()
    const stopped = world.engine.stop(how)
    await world.advance('1 minute')
    await stopped
    await world.engine.start()
    await world.send('orders', 'new')
    const got: string[] = []
    while (got.length < bodies.length + 1) got.push(...(await texts(world, 's')))
    expect(got).toEqual([...bodies, 'new'])
    expect((await replay(world.log)).names.get('orders')!.named('s')!.fill).toBeUndefined()
    await expectSound(world)
  })
})

const restoredIn = (world: World): number =>
  world.engine.actor(0).state.names.get('orders')!.named('s')?.ready ?? 0

describe('the record that is left', () => {
  const churn = async (world: World): Promise<void> => {
    await waitUntil(
      async () => {
        await world.sendBatch('orders', Array(10).fill('k'.repeat(1_000)))
        const messages = await world.receive('orders', { max: 10 })
        await world.client.ack(messages.map(({ receipt }) => receipt))
        return (await (await world.log.partition(0)).state()).firstSeq > 200
      },
      { timeoutMs: 30_000 },
    )
  }
  const small = { recordBytes: 200_000, checkpoints: { bytesMin: 50_000, ageMs: 1e12 } }

  it('[ENG-05] is as far back as a start can be; before that nothing changes', async () => {
    await using world = await createWorld(small)
    await world.queue('orders')
    await churn(world)
    const before = await world.client.queues.describe('orders')
    const { subscriptions } = world.client.queues
    for (const start of [{ number: 1 }, after(-1)]) {
      const beyond = { id: 'BeyondRecord' }
      await expect(
        subscriptions.create('orders', 's', { start, deadLetter: 's-dead' }),
      ).rejects.toMatchObject(beyond)
      await expect(subscriptions.reset('orders', 'main', start)).rejects.toMatchObject(beyond)
    }
    expect(await world.client.queues.describe('orders')).toEqual(before)
    expect((await world.client.queues.list()).map(({ name }) => name)).toEqual(['orders'])
  })

  it('[ENG-05] is what the earliest start gives, and is kept until that is settled', async () => {
    await using world = await createWorld(small)
    await world.queue('orders')
    await churn(world)
    await open(world, 's', 'earliest')
    const { available } = await countsOf(world, 's')
    expect(available).toBeGreaterThan(50)
    for (let i = 0; i < 30; i++) {
      await world.sendBatch('orders', Array(10).fill('k'.repeat(1_000)))
      const messages = await world.receive('orders', { max: 10 })
      await world.client.ack(messages.map(({ receipt }) => receipt))
    }
    await world.restart('crash')
    const got = [...(await texts(world, 's')), ...(await texts(world, 's'))]
    expect(got).toHaveLength(available + 300)
    expect(new Set(got)).toEqual(new Set(['k'.repeat(1_000)]))
    await expectSound(world)
  })
})
