import { limits as engineLimits } from '@kiroku/engine'
import { type CommandOf, errorFromWire, type KirokuError, limits } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import { createWorld, type World } from '../harness/index.ts'

const receive = (poll: string, waitMs: number): CommandOf<'Receive'> => ({
  type: 'Receive',
  queue: 'mail',
  poll,
  max: 1,
  waitMs,
  mode: 'simple',
  consumer: 'crowd',
})

/** Lets as many receives wait for half a minute as a partition takes. */
const crowd = async (world: World): Promise<void> => {
  const polls = Array.from({ length: limits.pollsMax }, (_, i) => receive(`crowd ${i}`, 30_000))
  void world.engine.request(0, polls)
  await world.time.settle()
  expect((await world.client.queues.describe('mail')).waitingPolls).toBe(limits.pollsMax)
}

/** Why one more receive is refused. */
const refusal = async (world: World): Promise<KirokuError | undefined> => {
  const { answers } = await world.engine.request(0, [receive('one more', 1_000)])
  return answers[0]?.error && errorFromWire(answers[0].error)
}

it('[ENG-22] a receive beyond those that may wait is told to come back in a second', async () => {
  await using world = await createWorld()
  await world.queue('mail')
  await crowd(world)
  expect(await refusal(world)).toMatchObject({ id: 'Busy', retryable: true, retryAfterMs: 1_000 })
})

it('[ENG-22] a client repeats a refused receive after that pause, and the message has its first attempt', async () => {
  await using world = await createWorld()
  await world.queue('mail')
  await crowd(world)
  const worker = world.newProcess('worker')
  const received = worker.client.receive('mail', { waitMs: 60_000 })
  await world.advance('20 seconds')
  const times = worker.times('Receive')
  const pauses = times.slice(1).map((at, i) => at - times[i]!)
  expect(pauses.length).toBeGreaterThan(3)
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(1)

  // When the others have gone and something comes
  await world.advance('15 seconds')
  await world.send('mail', 'x')
  await world.advance('5 seconds')
  expect((await received).map(({ attempt }) => attempt)).toEqual([1])
  expect(await world.counts('mail')).toMatchObject({ inflight: 1, redelivered: 0 })
})

it('[ENG-22] a refused receive takes nothing: the message is available to the next one with its first attempt', async () => {
  await using world = await createWorld()
  await world.queue('mail', { deliveryDelayMs: 10_000 })
  await crowd(world)
  await world.send('mail', 'x')
  expect(await refusal(world)).toMatchObject({ id: 'Busy' })
  await world.advance('10 seconds')
  const delivered = (await world.record()).filter(({ type }) => type === 'Delivered')
  expect(delivered).toHaveLength(1)
  expect(await world.counts('mail')).toMatchObject({ inflight: 1, redelivered: 0 })
})

it('[ENG-22] a receive beyond what waits to be decided is told to come back in 100 ms', async () => {
  await using world = await createWorld()
  await world.queue('mail')
  const commands = Array.from({ length: engineLimits.mailboxCommandsMax + 1 }, (_, i) => receive(`${i}`, 0))
  const { answers } = await world.engine.request(0, commands)
  const refused = answers.flatMap(({ error }) => error ?? [])
  expect(refused).toHaveLength(1)
  expect(errorFromWire(refused[0]!)).toMatchObject({ id: 'Busy', retryable: true, retryAfterMs: 100 })
})
