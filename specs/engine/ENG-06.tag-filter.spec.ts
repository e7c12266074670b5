import { trace } from '@kiroku/audit'
import { describe, expect, it } from 'vitest'
import { createWorld, type World } from '../harness/index.ts'

const texts = async (world: World, subscription: string, queue = 'orders'): Promise<string[]> =>
  (await world.receive(queue, { subscription, max: 100 })).map((message) => message.text())

const countsOf = async (world: World, name: string) =>
  (await world.client.queues.describe('orders')).subscriptions.find((sub) => sub.name === name)!.counts

/** A queue whose subscription `eu` wants two tags. */
const filtering = async (): Promise<World> => {
  const world = await createWorld()
  await world.queue('orders')
  await world.client.queues.subscriptions.create('orders', 'eu', { tags: ['de', 'fr'] })
  return world
}

describe('a subscription with a tag filter', () => {
  it('[ENG-06] is delivered what has one of its tags, and others get everything', async () => {
    await using world = await filtering()
    await world.client.sendBatch('orders', [
      { body: 'a', tag: 'de' },
      { body: 'b', tag: 'us' },
      { body: 'c' },
      { body: 'd', tag: 'fr' },
    ])
    expect(await texts(world, 'eu')).toEqual(['a', 'd'])
    expect(await texts(world, 'main')).toEqual(['a', 'b', 'c', 'd'])
  })

  it('[ENG-06] is done at once with what does not match, without a delivery', async () => {
    await using world = await filtering()
    const { messageId } = await world.client.send('orders', 'x', { tag: 'us' })
    expect(await countsOf(world, 'eu')).toMatchObject({ sent: 1, discarded: 1, available: 0 })
    const { steps } = await trace(world.log, messageId)
    expect(
      steps.map(({ event, state, subscription, reason }) => [event, state, subscription, reason]),
    ).toEqual([
      ['Enqueued', 'Available', undefined, undefined],
      ['Enqueued', 'Discarded', 'eu', 'filtered'],
    ])
    expect((await world.record()).some(({ type }) => type === 'Delivered')).toBe(false)
  })

  it('[ENG-06] delivers the tag to consumers', async () => {
    await using world = await filtering()
    await world.send('orders', 'a', { tag: 'de' })
    const [message] = await world.receive('orders', { subscription: 'eu' })
    expect(message!.tag).toBe('de')
  })

  it('[ENG-06] filters a delayed message when it is due, by the filter of that moment', async () => {
    await using world = await filtering()
    await world.send('orders', 'late', { tag: 'us', delayMs: 60_000 })
    await world.client.queues.subscriptions.update('orders', 'eu', { tags: ['us'] })
    await world.advance('1 minute')
    expect(await texts(world, 'eu')).toEqual(['late'])
  })

  it('[ENG-06] changes its filter for new messages; existing ones stay', async () => {
    await using world = await filtering()
    await world.send('orders', 'before', { tag: 'de' })
    await world.client.queues.subscriptions.update('orders', 'eu', { tags: ['us'] })
    await world.send('orders', 'de', { tag: 'de' })
    await world.send('orders', 'us', { tag: 'us' })
    expect(await texts(world, 'eu')).toEqual(['before', 'us'])
    await world.client.queues.subscriptions.update('orders', 'eu', { tags: null })
    await world.send('orders', 'any')
    expect(await texts(world, 'eu')).toEqual(['any'])
  })

  it('[ENG-06] filters dead letters that come from another queue by the tag they were sent with', async () => {
    await using world = await createWorld({ partitions: 3 })
    await world.queue('orders', { deadLetter: 'dead' })
    await world.client.queues.subscriptions.create('dead', 'eu', { tags: ['de'] })
    await world.client.sendBatch('orders', [
      { body: 'a', tag: 'de' },
      { body: 'b', tag: 'us' },
    ])
    for (const message of await world.receive('orders', { max: 2 })) await message.deadLetter('no')
    await world.advance('1 second')
    expect(await texts(world, 'eu', 'dead')).toEqual(['a'])
  })

  it('[ENG-06] keeps its filter when the engine restarts', async () => {
    await using world = await filtering()
    await world.send('orders', 'us', { tag: 'us', delayMs: 60_000 })
    await world.send('orders', 'de', { tag: 'de', delayMs: 60_000 })
    await world.restart('crash', '2 minutes')
    expect(await texts(world, 'eu')).toEqual(['de'])
    expect(await texts(world, 'main')).toHaveLength(2)
  })

  it.each([[['a|b']], [['']], [[]], [['x'.repeat(129)]]])('[ENG-06] refuses the filter %j', async (tags) => {
    await using world = await filtering()
    const update = world.client.queues.subscriptions.update('orders', 'eu', { tags })
    await expect(update).rejects.toMatchObject({ id: 'InvalidConfig' })
  })
})
