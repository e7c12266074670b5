import { describe, expect, it } from 'vitest'
import { createWorld, die } from '../harness/index.ts'
import { bodiesIn, createDead, createMany, expectLawful, latest } from './redriveWorld.ts'

describe('a redrive', () => {
  it('[ENG-10] brings each message back to where it came from, with its id and new attempts', async () => {
    await using world = await createWorld({ partitions: 3 })
    await world.queue('orders', { retriesMax: 1, deadLetter: 'dead' })
    const { messageId } = await world.client.send('orders', 'o1', { attributes: { tenant: 'acme' } })
    for (let attempt = 1; attempt <= 2; attempt++) await (await world.receive('orders'))[0]!.retry()
    await world.queue('mail', { deadLetter: 'dead' })
    await die(world, 'mail', 'm1', 'no address')

    await world.client.queues.redrive('dead')
    await world.advance('1 second')

    const [order] = await world.receive('orders')
    expect(order).toMatchObject({ id: messageId, attempt: 1, attributes: { tenant: 'acme' } })
    expect(order!.lineage).toMatchObject({ queue: 'dead', cause: 'redriven', redrives: 1 })
    expect(await bodiesIn(world, 'mail')).toEqual(['m1'])
    expect(await world.counts('dead')).toMatchObject({ available: 0, discarded: 2 })
    expect(await latest(world)).toMatchObject({
      task: 1,
      state: 'completed',
      to: 'origin',
      moved: 2,
      skipped: {},
      left: 0,
      targets: [
        { queue: 'orders', moved: 1 },
        { queue: 'mail', moved: 1 },
      ],
    })
    await expectLawful(world)
  })

  it('[ENG-10] brings all messages to a named queue, whatever their origin', async () => {
    await using world = await createWorld({ partitions: 3 })
    await createDead(world)
    await world.send('dead', 'sent here')
    await world.queue('inspect')
    await world.client.queues.redrive('dead', { to: 'inspect' })
    await world.advance('1 second')
    expect(await bodiesIn(world, 'inspect')).toEqual(['o1', 'o2', 'm1', 'm2', 'sent here'])
    expect(await latest(world)).toMatchObject({ state: 'completed', moved: 5, to: { name: 'inspect' } })
    await expectLawful(world)
  })

  it('[ENG-10] leaves what is in flight, what is delayed, and what comes after it began', async () => {
    await using world = await createWorld()
    await createMany(world, 5)
    const [first] = await world.receive('dead')
    const [second] = await world.receive('dead')
    await second!.release()
    await world.send('dead', 'delayed', { delayMs: 60_000 })
    await world.client.queues.redrive('dead', { rateMax: 1 })
    await world.advance('100 millis')
    const [third] = await world.receive('dead')
    await world.queue('mail', { deadLetter: 'dead' })
    await die(world, 'mail', 'later', 'no')
    await world.advance('10 seconds')
    expect([first, third].map((message) => message!.text())).toEqual(['1', '3'])
    expect(await bodiesIn(world, 'orders')).toEqual(['2', '4', '5'])
    expect(await world.counts('dead')).toMatchObject({ inflight: 2, delayed: 1, available: 1 })
    expect(await latest(world)).toMatchObject({ state: 'completed', moved: 3 })
    for (const message of [first, third]) await message!.ack()
    await expectLawful(world)
  })

  it('[ENG-10] of a consumer group goes back to that group alone', async () => {
    await using world = await createWorld({ partitions: 2 })
    await world.queue('orders', { deadLetter: 'dead' })
    for (const group of ['billing', 'stock']) await world.client.queues.subscriptions.create('orders', group)
    await world.send('orders', 'o1')
    for (const subscription of ['main', 'stock'])
      await (await world.receive('orders', { subscription }))[0]!.ack()
    const [billing] = await world.receive('orders', { subscription: 'billing' })
    await billing!.deadLetter('no card')
    await world.time.settle()

    await world.client.queues.redrive('dead')
    await world.advance('1 second')
    expect(await bodiesIn(world, 'orders', 'billing')).toEqual(['o1'])
    expect(await bodiesIn(world, 'orders', 'stock')).toEqual([])
    expect(await bodiesIn(world, 'orders')).toEqual([])
    await expectLawful(world)
  })
})

describe('a redrive and queues that are spread', () => {
  it('[ENG-10] brings dead letters of every part back to the queue', async () => {
    await using world = await createWorld({ partitions: 3 })
    await world.queue('orders', { deadLetter: 'dead' })
    const spreading = world.client.queues.spread('orders', 3)
    await world.advance('1 second')
    await spreading
    for (let i = 0; i < 12; i++) await world.send('orders', `${i}`)
    const letters: string[] = []
    while (letters.length < 12) {
      const messages = await world.receive('orders', { max: 12, waitMs: 1_000 })
      letters.push(...messages.map((message) => message.receipt))
    }
    await world.client.deadLetter(letters, 'no')
    await world.advance('1 second')
    expect(await world.counts('dead')).toMatchObject({ available: 12 })

    await world.client.queues.redrive('dead')
    await world.advance('1 second')
    expect(await latest(world)).toMatchObject({ moved: 12, targets: [{ queue: 'orders', moved: 12 }] })
    expect((await world.client.queues.describe('orders')).counts).toMatchObject({ available: 12 })
    // Each part has numbers of its own.
    const selected = world.client.queues.redrive('orders', { to: 'dead', selection: [1, 1] })
    await expect(selected).rejects.toMatchObject({ id: 'InvalidArgument' })
    await expectLawful(world)
  })
})

describe('the filter of a redrive', () => {
  it.each([
    ['part of the error', { error: 'stock' }, ['o1', 'm2']],
    ['the cause', { cause: 'leaseExpired' }, []],
    ['the tag', { tag: 'eu' }, ['o1']],
    ['attributes', { attributes: { tenant: 'acme' } }, ['o1', 'm1']],
    ['several at once', { attributes: { tenant: 'acme' }, error: 'address' }, ['m1']],
  ])('[ENG-10] picks messages by %s', async (_case, filter, picked) => {
    await using world = await createWorld({ partitions: 2 })
    await createDead(world)
    await world.client.queues.redrive('dead', { filter })
    await world.advance('1 second')
    expect([...(await bodiesIn(world, 'orders')), ...(await bodiesIn(world, 'mail'))]).toEqual(picked)
    expect(await latest(world)).toMatchObject({
      state: 'completed',
      moved: picked.length,
      filtered: 4 - picked.length,
      skipped: {},
    })
    expect(await world.counts('dead')).toMatchObject({ available: 4 - picked.length })
  })

  it('[ENG-10] picks messages by the time of their arrival', async () => {
    await using world = await createWorld()
    await world.queue('orders', { deadLetter: 'dead' })
    for (const body of ['a', 'b', 'c']) {
      await die(world, 'orders', body, 'no')
      await world.advance('1 minute')
    }
    const [second, third] = (await world.record()).filter((e) => e.type === 'ForwardReceived').slice(1)
    await world.client.queues.redrive('dead', {
      filter: { enqueuedAfter: second!.at, enqueuedBefore: third!.at },
    })
    await world.advance('1 second')
    expect(await bodiesIn(world, 'orders')).toEqual(['b'])
  })
})

describe('a redrive of selected messages', () => {
  it('[ENG-10] moves those alone, and says why some of them stay', async () => {
    await using world = await createWorld({ partitions: 2 })
    await createMany(world, 10)
    const [first] = await world.receive('dead')
    const [second] = await world.receive('dead')
    await second!.ack()
    const selection = [1, 4, 8, 2]
    const counting = world.client.queues.redrive('dead', { selection, dryRun: true })
    await world.advance('1 second')
    expect(await counting).toMatchObject({ selected: 6, moved: 4, skipped: { leased: 1, gone: 1 } })
    const by = { name: 'ada', origin: 'cli', reason: 'the stock is back' }
    await world.client.queues.redrive('dead', { selection }, by)
    await world.advance('1 second')
    expect(await latest(world)).toMatchObject({
      state: 'completed',
      selected: 6,
      moved: 4,
      skipped: { leased: 1, gone: 1 },
      by,
    })
    expect(await bodiesIn(world, 'orders')).toEqual(['3', '4', '8', '9'])
    expect(await world.counts('dead')).toMatchObject({ inflight: 1, available: 4 })
    await first!.ack()
    await expectLawful(world)
  })

  it('[ENG-10] continues with the selection after a crash and a take-over', async () => {
    await using world = await createWorld({ partitions: 2 })
    await createMany(world, 60)
    const begun = world.client.queues.redrive('dead', { selection: [1, 20, 41, 20], rateMax: 20 })
    await world.advance('1 second')
    await world.engine.stop('crash')
    await world.engine.start()
    await world.advance('500 millis')
    await world.restart('drain', '1 second')
    await world.advance('1 minute')
    await begun
    expect(await latest(world)).toMatchObject({ state: 'completed', selected: 40, moved: 40, skipped: {} })
    const expected = Array.from({ length: 60 }, (_, i) => i + 1).filter((n) => n <= 20 || n > 40)
    expect(await bodiesIn(world, 'orders')).toEqual(expected.map(String))
    await expectLawful(world)
  })
})

describe('a dry run', () => {
  it('[ENG-10] counts what would go where, and what would stay and why, and changes nothing', async () => {
    await using world = await createWorld({ partitions: 2 })
    await createDead(world)
    await world.send('dead', 'sent here')
    await world.client.queues.delete('mail')
    // Partitions tell each other of lanes that this closes.
    await world.advance('1 second')
    const before = await Promise.all([world.record(0), world.record(1)])
    const counting = world.client.queues.redrive('dead', { filter: { error: 'o' }, dryRun: true })
    await world.advance('1 second')
    expect(await counting).toMatchObject({
      dryRun: true,
      state: 'completed',
      moved: 2,
      targets: [{ queue: 'orders', moved: 2 }],
      skipped: { originGone: 2 },
      filtered: 1,
    })
    expect(await Promise.all([world.record(0), world.record(1)])).toEqual(before)
    expect(await world.counts('dead')).toMatchObject({ available: 5, redelivered: 0 })
  })

  it('[ENG-10] restarts when its owner changes', async () => {
    await using world = await createWorld()
    await createMany(world, 20)
    await world.engine.stop('crash')
    const counting = world.client.queues.redrive('dead', { dryRun: true })
    await world.advance('1 second')
    await world.engine.start()
    await world.advance('10 seconds')
    expect(await counting).toMatchObject({ state: 'completed', moved: 20 })
  })
})

describe('messages that stay', () => {
  it('[ENG-10] are those without an origin, with the reason', async () => {
    await using world = await createWorld({ partitions: 2 })
    await createDead(world)
    await world.send('dead', 'sent here')
    await world.client.queues.delete('mail')
    await world.client.queues.redrive('dead')
    await world.advance('1 second')
    expect(await latest(world)).toMatchObject({
      state: 'completed',
      moved: 2,
      skipped: { originGone: 2, noOrigin: 1 },
    })
    expect(await bodiesIn(world, 'dead')).toEqual(['m1', 'm2', 'sent here'])
  })

  it('[ENG-10] are those that their target would discard at once', async () => {
    await using world = await createWorld()
    await createDead(world)
    await world.advance('1 hour')
    await world.queue('short', { retentionMs: 60_000, retentionFrom: 'original' })
    await world.client.queues.redrive('dead', { to: 'short' })
    await world.advance('1 second')
    expect(await latest(world)).toMatchObject({ moved: 0, skipped: { tooOld: 4 } })
    expect(await world.counts('dead')).toMatchObject({ available: 4 })
  })

  it('[ENG-10] are all, when the named queue is deleted on the way, and what had left waits for it', async () => {
    await using world = await createWorld()
    await createMany(world, 100)
    await world.queue('inspect')
    await world.client.queues.redrive('dead', { to: 'inspect', rateMax: 10 })
    await world.advance('3 seconds')
    await world.client.queues.delete('inspect')
    await world.advance('3 seconds')
    const { state, note, moved, onTheWay } = await latest(world)
    expect([state, note]).toEqual(['failed', 'queue "inspect" is gone'])
    expect(await world.counts('dead')).toMatchObject({ available: 100 - moved - onTheWay! })
    expect(onTheWay).toBeGreaterThan(0)
    await world.queue('inspect')
    await world.advance('10 seconds')
    expect(await world.counts('inspect')).toMatchObject({ sent: onTheWay })
    expect(await latest(world)).toMatchObject({ moved: moved + onTheWay!, onTheWay: 0 })
  })
})

describe('what is refused', () => {
  it('[ENG-10] is a redrive of a queue to itself, of none and to none', async () => {
    await using world = await createWorld()
    await createDead(world)
    const { queues } = world.client
    await expect(queues.redrive('dead', { to: 'dead' })).rejects.toMatchObject({ id: 'InvalidArgument' })
    await expect(queues.redrive('dead', { to: 'none' })).rejects.toMatchObject({ id: 'UnknownQueue' })
    await expect(queues.redrive('none')).rejects.toMatchObject({ id: 'UnknownQueue' })
    await expect(queues.redrive('dead', { rateMax: 0 })).rejects.toMatchObject({ id: 'InvalidArgument' })
    await expect(queues.cancelRedrive('dead')).rejects.toMatchObject({ id: 'UnknownRedrive' })
  })

  it('[ENG-10] is a second one while another runs', async () => {
    await using world = await createWorld()
    await createMany(world, 20)
    const { queues } = world.client
    await queues.redrive('dead', { rateMax: 1 })
    await expect(queues.redrive('dead')).rejects.toMatchObject({ id: 'RedriveRunning' })
    await world.advance('20 seconds')
    expect(await queues.redrive('dead')).toMatchObject({ task: 2 })
  })
})

describe('a request for a redrive', () => {
  it('[ENG-10] begins it once, when its answer is lost', async () => {
    await using world = await createWorld()
    await createMany(world, 60)
    world.engine.loseAnswers(1)
    const begun = world.client.queues.redrive('dead')
    await world.advance('1 minute')
    expect(await begun).toMatchObject({ task: 1 })
    expect(await world.client.queues.redrives('dead')).toMatchObject([{ task: 1, moved: 60 }])
  })
})

describe('a cancelled redrive', () => {
  it('[ENG-10] ends at once; what was moved stays moved', async () => {
    await using world = await createWorld()
    await createMany(world, 50)
    await world.client.queues.redrive('dead', { rateMax: 10 })
    await world.advance('2 seconds')
    const { state, moved, left } = await world.client.queues.cancelRedrive('dead')
    expect([state, moved + left]).toEqual(['cancelled', 50])
    await world.advance('1 minute')
    expect(await latest(world)).toMatchObject({ state: 'cancelled', moved, left })
    expect(await bodiesIn(world, 'orders')).toHaveLength(moved)
    expect(await world.counts('dead')).toMatchObject({ available: left })
    await expectLawful(world)
  })
})

describe('a crash of the engine in the middle of a redrive', () => {
  it.each(['50 millis', '130 millis', '1 second', '1340 millis'] as const)(
    '[ENG-10] after %s loses and doubles nothing',
    async (after) => {
      // Given a log that takes 20 ms for an append, so that something is always under way
      await using world = await createWorld({ partitions: 2 })
      await createMany(world, 60)
      world.log.faults.slow(20)
      const begun = world.client.queues.redrive('dead', { rateMax: 20 })
      await world.advance(after)
      await world.engine.stop('crash')
      await world.advance('1 second')
      world.log.faults.slow(0)
      await world.engine.start()
      await world.advance('500 millis')
      await world.restart('drain', '1 second')
      await world.advance('1 minute')
      await begun
      expect(await latest(world)).toMatchObject({ state: 'completed', moved: 60, left: 0 })
      const expected = Array.from({ length: 60 }, (_, i) => `${i + 1}`)
      expect(await bodiesIn(world, 'orders')).toEqual(expected)
      expect(await world.counts('orders')).toMatchObject({ sent: 120, deadLettered: 60 })
      await expectLawful(world)
    },
  )
})
