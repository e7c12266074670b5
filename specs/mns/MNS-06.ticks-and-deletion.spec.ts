import { expect, it } from 'vitest'
import type { ConsumeOptions, Transport } from '@kiroku/client'
import { createClient, inProcess } from '@kiroku/client'
import { createWorld } from '../harness/index.ts'

const options: ConsumeOptions = {
  leaseMs: 60_000,
  leaseTickMs: 10_000,
  leaseLeftMsMin: 20_000,
  batchWaitMs: 0,
}

it('[MNS-06] a message is checked at once when it is registered, and renewed if it would not last', async () => {
  // Given a worker whose process hung until 25 s of the lease were left: more than the least, less than a tick more
  await using world = await createWorld()
  await world.queue('jobs')
  const worker = world.newProcess('worker 1')
  worker.client.consume(
    'jobs',
    ({ messages: [message] }) => message!.text() === 'x' && world.sleep('1 hour'),
    options,
  )
  await world.send('jobs', 'first')
  worker.freeze()
  await world.send('jobs', 'x')
  await world.advance('35 seconds')
  worker.thaw()
  await world.time.settle()
  expect(worker.times('Extend')).toEqual([35])
})

it('[MNS-06] one with enough left is not renewed before it has to be', async () => {
  await using world = await createWorld()
  await world.queue('jobs')
  const worker = world.newProcess('worker 1')
  worker.client.consume('jobs', () => world.sleep('200 seconds'), options)
  await world.send('jobs', 'x')
  await world.advance('250 seconds')
  // 30 s are left at 30 s, which is what one tick and the least are together
  expect(worker.times('Extend')).toEqual([30, 60, 90, 120, 150, 180])
})

it('[MNS-06] a tick checks all side by side: what is due is renewed in one request', async () => {
  // Given 300 messages, each worked on for itself
  await using world = await createWorld()
  await world.queue('jobs')
  const worker = world.newProcess('worker 1')
  worker.client.consume('jobs', () => world.sleep('1 hour'), {
    ...options,
    batchMessages: 1,
    concurrency: 300,
  })
  await world.sendBatch('jobs', Array(300).fill('x'))
  expect(await world.counts('jobs')).toMatchObject({ inflight: 300 })

  await world.advance('55 minutes')
  const ticks = worker.times('Extend')
  expect(ticks.slice(0, 3)).toEqual([30, 60, 90])
  expect(new Set(ticks).size).toBe(ticks.length)
  const [first] = worker.requests.filter(({ commands }) => commands.some(({ type }) => type === 'Extend'))
  expect(first!.commands).toMatchObject([{ type: 'Extend', items: { length: 300 } }])
  await world.advance('10 minutes')
  expect(await world.counts('jobs')).toMatchObject({ committed: 300, redelivered: 0 })
})

it('[MNS-06] a tick without anything to look at asks nothing, and there is none when nothing is held', async () => {
  await using world = await createWorld()
  await world.queue('jobs')
  const worker = world.newProcess('worker 1')
  worker.client.consume('jobs', () => {}, options)
  await world.send('jobs', 'x')
  await world.advance('10 minutes')
  expect(worker.times('Extend')).toEqual([])
})

it('[MNS-06] a deletion waits for a renewal on its way, and is the last word on the message', async () => {
  // Given a renewal whose answer takes 7 s
  await using world = await createWorld()
  await world.queue('jobs', { lateHandles: 'reject' })
  const sent: string[] = []
  const transport: Transport = inProcess(world.engine)
  const client = createClient(
    {
      ...transport,
      request: async (partition, commands, request) => {
        const type = commands[0]!.type
        sent.push(`${type} at ${world.seconds}`)
        const reply = await transport.request(partition, commands, request)
        if (type === 'Extend') await world.sleep('7 seconds')
        return reply
      },
    },
    { clock: world.time, onEvent: world.hear },
  )
  client.consume('jobs', () => world.sleep('33 seconds'), options)
  await world.send('jobs', 'x')
  await world.advance('5 minutes')

  // Then the message is deleted after that, and no renewal follows
  expect(sent.filter((each) => /Extend|Ack/.test(each))).toEqual(['Extend at 30', 'Ack at 37'])
  expect(await world.counts('jobs')).toMatchObject({ committed: 1, redelivered: 0 })
  expect(world.events).toEqual([])
})
