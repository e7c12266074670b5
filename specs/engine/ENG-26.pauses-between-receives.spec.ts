import { KirokuError, type Reply } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import { createWorld, type World } from '../harness/index.ts'

/** The full pauses, in seconds: each is twice the one before, up to 5 s. */
const fullPauses = [0.2, 0.4, 0.8, 1.6, 3.2, 5, 5, 5]

const pausesOf = (times: readonly number[]): number[] => times.slice(1).map((at, i) => at - times[i]!)

/** What a receive gets when there is nothing, and no room for it to wait. */
const nothing = ({ engine }: World): Reply => ({
  epoch: engine.actor(0).epoch,
  seq: 0,
  answers: [{ ok: {} }],
})

/** Expects pauses of which chance took up to a quarter. */
const expectGrowing = (pauses: readonly number[]): void => {
  expect(pauses.length).toBeGreaterThan(7)
  for (const [i, pause] of pauses.entries()) {
    const full = fullPauses[i] ?? 5
    expect(pause).toBeGreaterThan(full * 0.75 - 0.001)
    expect(pause).toBeLessThan(full + 0.001)
  }
}

it('[ENG-26] a consumer whose receives come back empty at once asks again after growing pauses', async () => {
  // Given an engine that has no room for a receive that waits, and answers it at once
  await using world = await createWorld()
  await world.queue('mail')
  const worker = world.newProcess('worker')
  worker.received = nothing(world)
  const bodies: string[] = []
  worker.client.consumeEach('mail', (message) => void bodies.push(message.text()))

  // When a minute passes, then it asked a handful of times
  await world.advance('1 minute')
  const times = worker.times('Receive')
  expect(times.length).toBeLessThan(25)
  expectGrowing(pausesOf(times))

  // And it continues when there is something
  worker.received = undefined
  await world.send('mail', 'x')
  await world.advance('5 seconds')
  expect(bodies).toEqual(['x'])
})

it('[ENG-26] a receive that waited for nothing at the engine is repeated without a further pause', async () => {
  await using world = await createWorld()
  await world.queue('mail')
  const worker = world.newProcess('worker')
  worker.client.consume('mail', () => {})
  await world.advance('2 minutes')
  expect(worker.times('Receive')).toEqual([0, 30, 60, 90, 120])
})

it('[ENG-26] a delivery ends the growth', async () => {
  await using world = await createWorld()
  await world.queue('mail')
  const worker = world.newProcess('worker')
  worker.received = nothing(world)
  worker.client.consume('mail', () => {})
  await world.advance('1 minute')
  worker.received = undefined
  await world.send('mail', 'x')
  await world.advance('5 seconds')
  const before = worker.times('Receive').length

  worker.received = nothing(world)
  await world.send('mail', 'y')
  await world.advance('1 minute')
  expectGrowing(pausesOf(worker.times('Receive').slice(before)))
})

it('[ENG-26] a consumer that cannot start asks again after growing pauses of its own', async () => {
  await using world = await createWorld()
  await world.queue('mail')
  const workers = Array.from({ length: 10 }, (_, i) => world.newProcess(`worker ${i}`))
  for (const worker of workers) {
    worker.fault = new KirokuError('Unavailable', 'Nobody serves the partition')
    worker.client.consume('mail', () => {})
  }
  await world.advance('30 seconds')
  for (const worker of workers) expectGrowing(pausesOf(worker.requests.map(({ at }) => at)))
  expect(new Set(workers.map(({ requests }) => requests[3]!.at)).size).toBeGreaterThan(5)
})
