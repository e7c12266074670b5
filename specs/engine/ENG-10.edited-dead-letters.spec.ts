import { trace } from '@kiroku/audit'
import { decodeCheckpoint } from '@kiroku/engine'
import { describe, expect, it } from 'vitest'
import { createWorld, die } from '../harness/index.ts'
import { bodiesIn, createDead, createMany, expectLawful, latest } from './redriveWorld.ts'

describe('a dead letter whose body is edited', () => {
  const by = { name: 'ada', origin: 'cli', reason: 'the price was missing' }

  it('[ENG-10] goes back with the new body, and with all attributes of the old one', async () => {
    await using world = await createWorld({ partitions: 2 })
    await createDead(world)
    const messageId = await die(world, 'orders', '{"n":1}', 'no price', { attributes: { tenant: 'acme' } })
    const { queues } = world.client
    const edit = { number: 5, messageId, body: { n: 1, price: 3 } }
    expect(await queues.editBody('dead', edit, by)).toEqual({ isEdited: true })
    expect(await queues.editBody('dead', edit, by)).toEqual({ isEdited: false })
    await queues.redrive('dead', { selection: [5, 1] })
    await world.advance('1 second')
    const [back] = await world.receive('orders')
    expect(back).toMatchObject({ id: messageId, attributes: { tenant: 'acme' } })
    expect(back!.json()).toEqual({ n: 1, price: 3 })
    expect(await bodiesIn(world, 'dead')).toEqual(['o1', 'o2', 'm1', 'm2'])
    const edits = (await Promise.all([world.record(0), world.record(1)])).flat()
    expect(edits.filter((e) => e.type === 'BodyEdited')).toMatchObject([{ number: 5, by }])
    await expectLawful(world)
  })

  it('[ENG-10] keeps the new body through checkpoints, a trimmed log and a crash, also a large one', async () => {
    await using world = await createWorld({
      recordMs: 60_000,
      checkpoints: { bytesMin: 20_000, ageMs: 1e9 },
    })
    await world.queue('orders', { deadLetter: 'dead' })
    const ids: string[] = []
    for (const body of ['a', 'b', 'c']) ids.push(await die(world, 'orders', body, 'no'))
    const large = 'x'.repeat(300_000)
    await world.client.queues.editBody('dead', { number: 2, messageId: ids[1]!, body: large }, by)
    await world.queue('other')
    for (let i = 0; i < 120; i++) {
      await world.send('other', 'y'.repeat(10_000))
      await (await world.receive('other'))[0]!.ack()
      await world.advance('10 seconds')
      if (i === 30) await world.restart('crash', '1 second')
    }
    await world.client.queues.editBody('dead', { number: 3, messageId: ids[2]!, body: 'c2' }, by)
    expect((await (await world.log.partition(0)).state()).firstSeq).toBeGreaterThan(20)
    await world.restart('crash', '1 second')
    await world.client.queues.redrive('dead')
    await world.advance('1 second')
    expect(await bodiesIn(world, 'orders')).toEqual(['a', large, 'c2'])
    await expectLawful(world)
  })

  it('[ENG-10] is another for all who have it, also for a subscription that begins in the past', async () => {
    await using world = await createWorld()
    await world.queue('dead')
    await world.client.queues.subscriptions.create('dead', 'audit')
    const ids = []
    for (const body of ['a', 'b', 'c']) ids.push((await world.client.send('dead', body)).messageId)
    await world.client.queues.editBody('dead', { number: 2, messageId: ids[1]!, body: 'b2' }, by)
    const late = world.client.queues.subscriptions.create('dead', 'late', { start: 'earliest' })
    await world.advance('1 second')
    await late
    for (const subscription of ['main', 'audit', 'late']) {
      const messages = await world.receive('dead', { max: 3, subscription })
      expect(messages.map((message) => message.text())).toEqual(['a', 'b2', 'c'])
      for (const message of messages) await message.ack()
    }
    // Once it is settled, the past still shows what was sent.
    await world.client.queues.subscriptions.reset('dead', 'late', 'earliest')
    await world.advance('1 second')
    expect(await bodiesIn(world, 'dead', 'late')).toEqual(['a', 'b', 'c'])
    await expectLawful(world)
  })

  it('[ENG-10] must fit the schema of its queue and of its origin, with the place that does not', async () => {
    await using world = await createWorld({ partitions: 2 })
    const bodySchema = { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] }
    await world.queue('orders', { deadLetter: 'dead', bodySchema })
    const messageId = await die(world, 'orders', '{}', 'no price')
    const edit = (body: string) => world.client.queues.editBody('dead', { number: 1, messageId, body }, by)
    await expect(edit('{"price":"3"}')).rejects.toMatchObject({
      id: 'BodyMismatch',
      message: expect.stringContaining('/price must be number') as string,
    })
    await edit('{"price":3}')
    // A schema that changed since keeps it back.
    await world.client.queues.update('orders', { bodySchema: { ...bodySchema, required: ['vat'] } })
    await world.client.queues.redrive('dead')
    await world.advance('1 second')
    expect(await latest(world)).toMatchObject({ moved: 0, skipped: { schema: 1 } })
    await world.client.queues.update('orders', { bodySchema: null })
    await world.client.queues.redrive('dead')
    await world.advance('1 second')
    expect(await bodiesIn(world, 'orders')).toEqual(['{"price":3}'])
    await expect(
      world.client.queues.update('orders', { bodySchema: { type: 'nonsense' } }),
    ).rejects.toMatchObject({ id: 'InvalidConfig' })
  })

  it('[ENG-10] is refused where messages are encrypted, even when they are in another queue', async () => {
    await using world = await createWorld()
    await world.queue('orders', { deadLetter: 'dead', erasable: 'message' })
    const sent = await world.client.send('orders', 'o1')
    const edit = (queue: string) =>
      world.client.queues.editBody(queue, { number: 1, messageId: sent.messageId, body: 'x' }, by)
    await expect(edit('orders')).rejects.toMatchObject({ id: 'NotEditable' })
    await (await world.receive('orders'))[0]!.deadLetter('no')
    await world.advance('1 second')
    await expect(edit('dead')).rejects.toMatchObject({ id: 'NotEditable' })
    await world.client.queues.redrive('dead', { selection: [1, 1] })
    await world.advance('1 second')
    expect(await bodiesIn(world, 'orders')).toEqual(['o1'])
  })

  it('[ENG-10] is refused while it is in flight, when it is gone, and when another is meant', async () => {
    await using world = await createWorld()
    await createDead(world)
    const messageId = await die(world, 'orders', 'o3', 'no')
    const edit = (number: number, id = messageId) =>
      world.client.queues.editBody('dead', { number, messageId: id, body: 'x' }, by)
    await expect(edit(4)).rejects.toMatchObject({ id: 'UnknownMessage' })
    await expect(edit(9)).rejects.toMatchObject({ id: 'NotEditable' })
    const messages = await world.receive('dead', { max: 5 })
    await expect(edit(5)).rejects.toMatchObject({ id: 'NotEditable' })
    await messages[4]!.ack()
    await expect(edit(5)).rejects.toMatchObject({ id: 'NotEditable' })
    await expect(
      world.client.queues.editBody('none', { number: 1, messageId, body: 'x' }),
    ).rejects.toMatchObject({ id: 'UnknownQueue' })
  })
})

describe('the lineage of a redriven message', () => {
  it('[ENG-10] is kept: its trace shows the whole way back and forth', async () => {
    await using world = await createWorld({ partitions: 3 })
    await world.queue('orders', { deadLetter: 'dead' })
    const id = await die(world, 'orders', 'o1', 'no stock')
    for (let redrives = 1; redrives <= 2; redrives++) {
      await world.client.queues.redrive('dead', {}, { name: 'ada', origin: 'cli' })
      await world.advance('1 second')
      const [back] = await world.receive('orders')
      expect(back).toMatchObject({ id, attempt: 1, lineage: { redrives } })
      if (redrives === 1) await back!.deadLetter('still no stock')
      else await back!.ack()
      await world.time.settle()
    }
    const { queues, state, steps } = await trace(world.log, id, { decodeCheckpoint })
    expect(queues).toEqual(['orders', 'dead', 'orders', 'dead', 'orders'])
    expect(state).toBe('Committed')
    expect(steps.map(({ queue, event }) => `${queue} ${event}`)).toEqual([
      'orders Enqueued',
      'orders Delivered',
      'orders DeadLettered',
      'dead ForwardReceived',
      'dead Redriven',
      'orders ForwardReceived',
      'orders Delivered',
      'orders DeadLettered',
      'dead ForwardReceived',
      'dead Redriven',
      'orders ForwardReceived',
      'orders Delivered',
      'orders Acked',
    ])
    expect(steps[4]).toMatchObject({
      state: 'Discarded',
      reason: 'redriven',
      target: { queue: 'orders' },
      by: { name: 'ada' },
    })
  })

  it('[ENG-10] has no origin any more once it was redriven, until it dies again', async () => {
    await using world = await createWorld()
    await createMany(world, 1)
    await world.queue('inspect')
    await world.client.queues.redrive('dead', { to: 'inspect' })
    await world.advance('1 second')
    await world.client.queues.redrive('inspect')
    await world.advance('1 second')
    expect(await world.client.queues.redrives('inspect')).toMatchObject([
      { moved: 0, skipped: { noOrigin: 1 } },
    ])
  })
})
