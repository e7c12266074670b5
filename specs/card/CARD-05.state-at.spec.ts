import { stateAt, diffMoments, play, type AskedMoment, type PlayStep } from '@kiroku/audit'
import { decodeCheckpoint } from '@kiroku/engine'
import type { QueueCounts } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import { createWorld, everyState, type World } from '../harness/index.ts'

const beginning = Date.UTC(2026, 0, 1)

const options = (world: World) => ({ decodeCheckpoint, now: beginning + world.time.now() })
const at = (world: World, asked: AskedMoment) => stateAt(world.log, 'mail', asked, options(world))
const now = (world: World): number => beginning + world.time.now()

/** Counts as the record determines them: a part that has gone by is none of them. */
const noted = async (world: World): Promise<{ time: number; counts: QueueCounts }> => {
  await world.time.settle()
  return { time: now(world), counts: await world.counts('mail') }
}

it('[CARD-05] a queue is shown as it stood at any past time', async () => {
  await using world = await createWorld()
  await world.queue('mail', { retry: { kind: 'fixed', delayMs: 10_000 } })
  const moments = []
  await world.sendBatch('mail', ['a', 'b', 'c'])
  await world.send('mail', 'later', { delayMs: 60_000 })
  moments.push(await noted(world))
  await world.advance('1 second')
  const [first, second] = await world.receive('mail', { max: 2 })
  moments.push(await noted(world))
  await world.advance('1 second')
  await first!.ack()
  await second!.retry()
  moments.push(await noted(world))
  await world.advance('2 minutes')
  moments.push(await noted(world))
  await world.advance('1 second')
  await world.client.queues.purge('mail')
  await world.advance('1 second')
  moments.push(await noted(world))

  for (const { time, counts } of moments) {
    const found = await at(world, { time })
    expect(found.counts).toEqual(counts)
    expect(found.messagesTotal).toBe(
      counts.available + counts.delayed + counts.inflight + counts.waitingRetry,
    )
  }
})

it('[CARD-05] with every message, its state, its attempt and its times', async () => {
  await using world = await createWorld()
  await world.queue('mail', { leaseMs: 30_000 })
  await world.sendBatch('mail', ['a', 'b'])
  const [message] = await world.receive('mail')
  const time = now(world)
  await world.advance('1 hour')
  expect((await at(world, { time })).messages).toMatchObject([
    {
      messageId: message!.id,
      state: 'Inflight',
      attempt: 1,
      enqueuedAt: beginning,
      leaseUntil: beginning + 30_000,
    },
    { state: 'Available', attempt: 0 },
  ])
})

it('[CARD-05] every sequence of the log is a moment, also of every kind of event', async () => {
  await using world = await createWorld()
  await everyState(world.client, { leaseMs: 60_000, pass: () => world.advance('90 seconds') })
  await world.time.settle()
  const { lastSeq } = (await world.client.partitions())[0]!
  expect((await at(world, { seq: lastSeq })).counts).toEqual(await world.counts('mail'))
  for (let seq = 1, sent = 0; seq <= lastSeq; seq++) {
    const found = await at(world, { seq }).catch((e: { id: string }) => e.id)
    if (found === 'UnknownQueue') continue
    const { counts } = found as Awaited<ReturnType<typeof stateAt>>
    expect(counts.sent).toBeGreaterThanOrEqual(sent)
    sent = counts.sent
  }
})

it('[CARD-05] the settings are those that were in force then', async () => {
  await using world = await createWorld()
  await world.queue('mail', { retriesMax: 5 })
  const time = now(world)
  await world.advance('1 minute')
  await world.client.queues.update('mail', { retriesMax: 1 })
  expect((await at(world, { time })).config.retriesMax).toBe(5)
  expect((await at(world, { time: now(world) })).config.retriesMax).toBe(1)
})

it('[CARD-05] two moments are compared: what arrived, what changed, what ended', async () => {
  await using world = await createWorld()
  await world.queue('mail')
  await world.sendBatch('mail', ['a', 'b', 'c'])
  const a = { time: now(world) }
  await world.advance('1 minute')
  const [first] = await world.receive('mail', { max: 2 })
  await first!.ack()
  await world.send('mail', 'd')
  const b = { time: now(world) }
  await world.advance('1 minute')
  const diff = await diffMoments(world.log, 'mail', a, b, options(world))
  expect(diff.appeared).toMatchObject({ total: 1, messages: [{ number: 4 }] })
  expect(diff.changed).toMatchObject({ total: 1, messages: [{ number: 2, after: { state: 'Inflight' } }] })
  expect(diff.left).toMatchObject({ total: 1, messages: [{ messageId: first!.id }] })
  expect(diff.counts.committed).toEqual({ a: 0, b: 1 })
})

it('[CARD-05] what lies between two moments is played frame by frame', async () => {
  await using world = await createWorld()
  await world.queue('mail')
  const from = { time: now(world) }
  await world.advance('1 second')
  await world.sendBatch('mail', ['a', 'b'])
  await world.advance('1 second')
  const [message] = await world.receive('mail')
  await message!.ack()
  const steps: PlayStep[] = []
  await play(world.log, 'mail', from, { time: now(world) }, options(world), (step) => void steps.push(step))
  expect(steps.map(({ events }) => events.map(({ type, messages }) => `${type} ${messages}`))).toEqual([
    [],
    ['Enqueued 2'],
    ['Delivered 1'],
    ['Acked 1'],
  ])
  expect(steps.map(({ counts }) => counts.available)).toEqual([0, 2, 1, 1])
  expect(steps.map(({ at }) => (at - from.time) / 1_000)).toEqual([0, 1, 2, 2])
})

it('[CARD-05] a replay begins with the queue where that is younger than its beginning', async () => {
  await using world = await createWorld()
  await world.queue('other')
  const from = { time: now(world) }
  await world.advance('1 hour')
  await world.queue('mail')
  await world.send('mail', 'a')
  const types: string[] = []
  for (const since of [from, { time: beginning - 3_600_000 }]) {
    await play(world.log, 'mail', since, { time: now(world) }, options(world), ({ events, at }) => {
      types.push(...events.map(({ type }) => type))
      expect(at).toBe(now(world))
    })
  }
  expect(types).toEqual(['Enqueued', 'Enqueued'])
})

it('[CARD-05] looking changes nothing, and what is not over or not on record is refused by name', async () => {
  await using world = await createWorld()
  await world.queue('mail')
  await world.send('mail', 'a')
  const before = await world.client.partitions()
  await at(world, { time: now(world) })
  expect(await world.client.partitions()).toEqual(before)
  await expect(at(world, { time: now(world) + 1 })).rejects.toMatchObject({ id: 'FutureMoment' })
  await expect(at(world, { time: beginning - 1 })).rejects.toMatchObject({ id: 'BeyondRecord' })
  await expect(at(world, { seq: before[0]!.lastSeq + 1 })).rejects.toMatchObject({ id: 'FutureMoment' })
})

it('[CARD-05] a queue that is spread is shown, compared and played as one, at one time in all its parts', async () => {
  await using world = await createWorld({ partitions: 3 })
  await world.queue('mail')
  const spreading = world.client.queues.spread('mail', 3)
  await world.advance('1 second')
  await spreading
  const from = { time: now(world) }
  const moments = []
  for (let i = 0; i < 9; i++) {
    await world.advance('1 second')
    await world.send('mail', i)
    if (i === 5) await (await world.receive('mail', { max: 2 }))[0]!.ack()
    moments.push(await noted(world))
  }
  await world.advance('1 second')

  for (const { time, counts } of moments) {
    const { places, ...found } = await at(world, { time })
    expect(found.counts).toEqual(counts)
    expect(places).toHaveLength(3)
  }
  const paged: string[] = []
  for (let after: string | undefined; ;) {
    const page = await stateAt(world.log, 'mail', moments[8]!, {
      ...options(world),
      messagesMax: 2,
      ...(after === undefined ? {} : { after }),
    })
    paged.push(...page.messages.map(({ messageId }) => messageId))
    after = page.next
    if (after === undefined) break
  }
  const last = moments[8]!.counts
  expect(new Set(paged).size).toBe(last.available + last.inflight)

  const diff = await diffMoments(world.log, 'mail', moments[0]!, moments[8]!, options(world))
  expect(diff.counts.sent).toEqual({ a: 1, b: 9 })
  expect(diff.appeared.total - diff.left.total).toBe(paged.length - 1)

  const steps: PlayStep[] = []
  await play(world.log, 'mail', from, moments[8]!, options(world), (step) => void steps.push(step))
  const times = steps.map((step) => step.at)
  expect(times).toEqual([...times].sort((a, b) => a - b))
  expect(new Set(steps.slice(1).map(({ partition }) => partition)).size).toBe(3)
  expect(steps.at(-1)!.counts).toEqual(last)

  // Whoever has seen enough ends it in all parts.
  let seen = 0
  const enough = play(world.log, 'mail', from, moments[8]!, options(world), () => {
    if (++seen === 4) throw new Error('enough')
  })
  await expect(enough).rejects.toThrow('enough')
  expect(seen).toBe(4)
})
