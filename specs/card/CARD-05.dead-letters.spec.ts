import { bodiesOf, explain, gatherDeadLetters, placeNow, trace } from '@kiroku/audit'
import { decodeCheckpoint } from '@kiroku/engine'
import { describe, expect, it } from 'vitest'
import { createWorld, die, type World } from '../harness/index.ts'

const groupsOf = async (world: World, queue = 'dead') =>
  (await gatherDeadLetters(world.log, queue, { decodeCheckpoint })).groups

describe('dead letters', () => {
  it('[CARD-05] are gathered by cause and kind of error, with counts, times, samples and a payload', async () => {
    await using world = await createWorld({ partitions: 3 })
    await world.queue('orders', { deadLetter: 'dead' })
    await world.queue('mail', { deadLetter: 'dead', retriesMax: 0 })
    const ids: string[] = []
    for (const n of [41, 42, 43]) {
      ids.push(await die(world, 'orders', `{"order":${n}}`, `order ${n} is unknown`))
      await world.advance('1 minute')
    }
    ids.push(await die(world, 'mail', 'm', 'order 7 is unknown'))
    await world.client.send('mail', 'slow')
    await world.receive('mail', { leaseMs: 1_000 })
    await world.advance('2 seconds')
    await world.send('dead', 'sent here')

    const groups = await groupsOf(world)
    expect(groups).toMatchObject([
      {
        cause: 'onPurpose',
        form: 'order <n> is unknown',
        error: 'order 7 is unknown',
        count: 4,
        origins: [
          { queue: 'orders', count: 3 },
          { queue: 'mail', count: 1 },
        ],
        samples: ids.toReversed(),
        payload: { text: 'm', bytes: 1, isCut: false, isBase64: false },
        cameBack: 0,
      },
      { cause: 'sent', count: 1, origins: [] },
      { cause: 'leaseExpired', error: '', count: 1, origins: [{ queue: 'mail' }] },
    ])
    const [first] = groups
    expect(first!.lastAt - first!.firstAt).toBe(180_000)
    expect(new Set(groups.map(({ group }) => group)).size).toBe(3)
  })

  it('[CARD-05] are looked at without a receive, and nothing changes', async () => {
    await using world = await createWorld({ partitions: 2 })
    await world.queue('orders', { deadLetter: 'dead' })
    await die(world, 'orders', 'o1', 'no stock')
    await die(world, 'orders', 'o2', 'no stock')
    const [held] = await world.receive('dead')
    const before = await Promise.all([world.record(0), world.record(1)])
    expect(await groupsOf(world)).toMatchObject([{ count: 2, inflight: 1 }])
    expect(await Promise.all([world.record(0), world.record(1)])).toEqual(before)
    await held!.ack()
    expect(await world.counts('dead')).toMatchObject({ available: 1, redelivered: 0 })
    expect(await groupsOf(world)).toMatchObject([{ count: 1, inflight: 0 }])
  })

  it('[CARD-05] are found with large bodies, behind a checkpoint, and where the log was trimmed', async () => {
    await using world = await createWorld({
      recordMs: 60_000,
      checkpoints: { bytesMin: 20_000, ageMs: 1e9 },
    })
    await world.queue('orders', { deadLetter: 'dead' })
    const large = 'x'.repeat(300_000)
    await die(world, 'orders', large, 'too large')
    await world.advance('1 second')
    await die(world, 'orders', 'small', 'too small')
    await world.queue('other')
    for (let i = 0; i < 60; i++) {
      await world.send('other', 'y'.repeat(10_000))
      await (await world.receive('other'))[0]!.ack()
      await world.advance('10 seconds')
    }
    expect((await (await world.log.partition(0)).state()).firstSeq).toBeGreaterThan(1)
    expect(await groupsOf(world)).toMatchObject([
      { form: 'too small', payload: { text: 'small' } },
      { form: 'too large', payload: { bytes: 300_000, isCut: true } },
    ])
  })

  it('[CARD-05] of a missing queue are an error', async () => {
    await using world = await createWorld()
    await expect(groupsOf(world, 'none')).rejects.toMatchObject({ id: 'UnknownQueue' })
    await world.queue('dead')
    expect(await groupsOf(world)).toEqual([])
    await expect(
      gatherDeadLetters(world.log, 'dead', { decodeCheckpoint, subscription: 'none' }),
    ).rejects.toMatchObject({ id: 'UnknownSubscription' })
  })

  it('[CARD-05] are gathered as they lay at a moment of the past, whatever became of them', async () => {
    await using world = await createWorld({ partitions: 3 })
    await world.queue('orders', { deadLetter: 'dead' })
    await die(world, 'orders', 'a', 'order 1 is unknown')
    const [then] = await groupsOf(world)
    await world.advance('1 minute')
    await die(world, 'orders', 'b', 'order 2 is unknown')
    const [both] = await groupsOf(world)
    await world.advance('1 minute')
    await world.client.queues.redrive('dead', {})
    await world.time.settle()
    expect(await groupsOf(world)).toEqual([])
    const at = async (time: number) =>
      (await gatherDeadLetters(world.log, 'dead', { decodeCheckpoint, moment: { time } })).groups
    expect(await at(then!.lastAt)).toEqual([then])
    expect(await at(both!.lastAt)).toEqual([both])
    await expect(at(1)).rejects.toMatchObject({ id: 'BeyondRecord' })
  })
})

describe('the story of a dead letter', () => {
  it('[CARD-05] shows attempts, workers, errors and who brought it back', async () => {
    await using world = await createWorld({ partitions: 2 })
    await world.queue('orders', { deadLetter: 'dead', retriesMax: 1 })
    const { messageId } = await world.client.send('orders', 'o1')
    const [first] = await world.receive('orders')
    await world.advance('3 seconds')
    await first!.retry({ error: 'no stock' })
    await world.receive('orders', { leaseMs: 5_000 })
    await world.advance('6 seconds')
    const by = { name: 'ada', origin: 'cli', reason: 'the stock is back' }
    await world.client.queues.redrive('dead', {}, by)
    await world.advance('1 second')
    await (await world.receive('orders'))[0]!.deadLetter('still no stock')
    await world.time.settle()

    const story = explain(await trace(world.log, messageId, { decodeCheckpoint }))
    expect(story).toMatchObject({
      state: 'Available',
      queue: 'dead',
      cameBack: 1,
      died: { queue: 'orders', cause: 'onPurpose', error: 'still no stock', target: 'dead' },
      attempts: [
        { queue: 'orders', attempt: 1, outcome: 'RetryScheduled', error: 'no stock', ms: 3_000 },
        { queue: 'orders', attempt: 2, outcome: 'DeadLettered', ms: 5_000 },
        { queue: 'orders', attempt: 1, outcome: 'DeadLettered', error: 'still no stock' },
      ],
    })
    expect(story.sentences.map((sentence) => sentence.replace(/^\d\d-\d\d [\d:.]+ {2}/, ''))).toEqual([
      expect.stringMatching(/^It was sent to orders by /),
      expect.stringMatching(/^Attempt 1 in orders, by client.*: it failed after 3 s: no stock\.$/),
      expect.stringMatching(/^Attempt 2 .*: the lease expired before it was settled after 5 s\.$/),
      'It became a dead letter of orders, as its lease ended, and no attempt was left. It went to dead.',
      'It arrived in dead.',
      'It was redriven to orders by ada, because: the stock is back.',
      'It arrived in orders.',
      expect.stringMatching(/^Attempt 1 .*: the consumer gave it up after 0 ms: still no stock\.$/),
      'It became a dead letter of orders, as the consumer gave it up on purpose: still no stock. It went to dead.',
      'It arrived in dead.',
      'It was redriven and came back once.',
      expect.stringMatching(/^It is in dead, ready to be received, since /),
    ])
  })

  it('[CARD-05] keeps what was sent alongside its replacement, with who edited it and why', async () => {
    await using world = await createWorld({ partitions: 2 })
    await world.queue('orders', { deadLetter: 'dead' })
    const messageId = await die(world, 'orders', 'a typo', 'no such word')
    const by = { name: 'ada', origin: 'cli', reason: 'a typing mistake' }
    const before = await trace(world.log, messageId, { decodeCheckpoint })
    expect(placeNow(before)).toEqual({ queue: 'dead', number: 1 })
    await world.client.queues.editBody('dead', { number: 1, messageId, body: 'a word' }, by)
    await world.client.queues.redrive('dead')
    await world.advance('1 second')
    await (await world.receive('orders'))[0]!.ack()

    const found = await trace(world.log, messageId, { decodeCheckpoint })
    expect(found.steps.find(({ event }) => event === 'BodyEdited')).toMatchObject({ queue: 'dead', by })
    const bodies = await bodiesOf(world.log, found)
    const told = bodies.map(({ step, body }) => [step.event, new TextDecoder().decode(body)])
    expect(told).toEqual([
      ['Enqueued', 'a typo'],
      ['BodyEdited', 'a word'],
    ])
    expect(explain(found).sentences.join('\n')).toContain(
      'Its body was edited by ada, because: a typing mistake.',
    )
    expect(() => placeNow(found)).toThrow(expect.objectContaining({ id: 'NotEditable' }) as Error)
  })

  it('[CARD-05] counts how often it came back, in its trace and in its group', async () => {
    await using world = await createWorld({ partitions: 2 })
    await world.queue('orders', { deadLetter: 'dead' })
    const id = await die(world, 'orders', 'o1', 'no stock')
    await die(world, 'orders', 'o2', 'no stock')
    for (let i = 0; i < 2; i++) {
      await world.client.queues.redrive('dead', { messagesMax: 1 })
      await world.advance('1 second')
      await (await world.receive('orders'))[0]!.deadLetter('no stock')
      await world.time.settle()
    }
    await world.client.queues.redrive('dead', { messagesMax: 1 })
    await world.advance('1 second')
    await (await world.receive('orders'))[0]!.deadLetter('no stock')
    await world.time.settle()
    expect(await groupsOf(world)).toMatchObject([{ count: 2, cameBack: 2, cameBackMost: 2 }])
    expect(await trace(world.log, id, { decodeCheckpoint })).toMatchObject({ cameBack: 2 })
  })
})
