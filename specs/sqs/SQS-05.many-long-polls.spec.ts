import { expect, it } from 'vitest'
import { createNatsWorld, createWorld, type ClientProcess, type World } from '../harness/index.ts'

const names = Array.from({ length: 300 }, (_, i) => `jobs-${i}`)

/** A client that polls 300 queues at once, for 20 seconds each, and what it got, and when. */
const pollAll = async (
  world: World,
): Promise<{ worker: ClientProcess; got: Map<string, [at: number, count: number]> }> => {
  for (const name of names) await world.queue(name)
  const worker = world.newProcess('worker 1')
  const got = new Map<string, [number, number]>()
  for (const name of names)
    void worker.client
      .receive(name, { waitMs: 20_000 })
      .then((messages) => got.set(name, [world.seconds, messages.length]))
  await world.time.settle()
  return { worker, got }
}

it('[SQS-05] a message in any of 300 queues comes at once, and the other polls wait on', async () => {
  await using world = await createWorld({ partitions: 4 })
  const { got } = await pollAll(world)
  for (const [seconds, name] of [
    [3, 'jobs-299'],
    [7, 'jobs-0'],
    [19, 'jobs-150'],
  ] as const) {
    await world.advance(`${seconds - world.seconds} seconds`)
    await world.send(name, 'x')
    expect(got.get(name)).toEqual([seconds, 1])
  }
  expect(got.size).toBe(3)

  // And each of them ends after its own 20 seconds
  await world.advance('1 minute')
  expect([...got.values()].filter(([, count]) => count === 0)).toEqual(Array(297).fill([20, 0]))
})

it('[SQS-05] messages in all of them come at the same moment', async () => {
  await using world = await createWorld({ partitions: 4 })
  const { got } = await pollAll(world)
  await world.advance('5 seconds')
  await Promise.all(names.map((name) => world.client.send(name, 'x')))
  await world.time.settle()
  expect([...got.values()]).toEqual(Array(300).fill([5, 1]))
})

it('[SQS-05] waiting costs one request a poll', async () => {
  await using world = await createWorld({ partitions: 4 })
  const { worker } = await pollAll(world)
  await world.advance('19 seconds')
  expect(worker.requests).toHaveLength(300)

  // Given 300 consumers that have nothing to do for 10 minutes, with polls of 30 seconds
  const idle = world.newProcess('worker 2')
  for (const name of names) idle.client.consume(name, () => {})
  await world.time.settle()
  const before = idle.requests.length
  await world.advance('10 minutes')
  expect(idle.requests.length - before).toBeLessThanOrEqual(300 * 20)
})

it('[SQS-05] a consumer that hangs holds up no consumer of another queue', async () => {
  await using world = await createWorld()
  const times: number[] = []
  for (const name of names) {
    await world.queue(name, { batchWaitMs: 0 })
    const handler = name === 'jobs-0' ? () => world.sleep('1 day') : () => times.push(world.seconds)
    world.client.consume(name, handler)
  }
  for (const name of names) await world.client.send(name, 'x')
  await world.advance('1 second')
  expect(times).toEqual(Array(299).fill(0))
})

it('[SQS-05] the same over one connection to NATS', async () => {
  await using world = await createNatsWorld()
  await Promise.all(names.map((name) => world.client.queues.create(name)))
  const { client } = await world.remoteClient('worker 1')
  const got: string[] = []
  const polls = names.map(async (name) => {
    const messages = await client.receive(name, { waitMs: 60_000 })
    got.push(...messages.map((message) => message.text()))
  })
  for (const at of [299, 0, 150]) {
    await world.client.send(names[at]!, `in ${at}`)
    await polls[at]
  }
  expect(got).toEqual(['in 299', 'in 0', 'in 150'])
  await Promise.all(names.map((name) => world.client.send(name, 'x')))
  await Promise.all(polls)
})
