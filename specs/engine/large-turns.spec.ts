import { encodeEnvelope, type Command, type CommandOf, type Delivery } from '@kiroku/protocol'
import { expect, it } from 'vitest'
import { createNatsWorld } from '../harness/NatsWorld.ts'

/** What an unconfigured nats-server takes. */
const stock = { maxPayloadBytes: 1024 * 1024 }
/** Pauses that differ from message to message. */
const jittered = { kind: 'exponential', baseMs: 300_000, factor: 1, maxMs: 300_000, jitter: 0.5 } as const
const by = { name: 'test', origin: 'test' }
const wide = (n: number): string => String.fromCharCode(0x4e00 + n).repeat(128)

const rangesOf = (numbers: readonly number[]): number[] => {
  const all: number[] = []
  for (let i = 0; i < numbers.length; i += 2)
    for (let n = 0; n < numbers[i + 1]!; n++) all.push(numbers[i]! + n)
  return all
}

it('[CARD-02] ten consumers that give back 1,000 messages each with a text of its own cost no partition its owner', async () => {
  await using world = await createNatsWorld({ nats: stock })
  const { client, engine } = world
  await client.queues.create('mail', { retry: jittered, retriesMax: 10 })
  await client.queues.create('other')
  const bodies = Array.from({ length: 10_000 }, (_, n) => ({ body: `${n}` }))
  await client.sendBatch('mail', bodies)
  const batches = await Promise.all(
    Array.from({ length: 10 }, () => client.receive('mail', { max: 1_000, mode: 'push', waitMs: 10_000 })),
  )
  expect(batches.flat()).toHaveLength(10_000)
  const settled = batches
    .flat()
    .map((message, n) =>
      message.retry({ error: `${n} `.padEnd(1_000, 'the disk of shard 7 did not answer ') }),
    )
  await client.send('other', 'at the same time')
  await Promise.all(settled)
  expect(engine.actor(0).epoch).toBe(1)
  const { counts } = await client.queues.describe('mail')
  expect(counts).toMatchObject({ waitingRetry: 10_000, inflight: 0 })
})

it('[CARD-02] a send whose facts no record can hold is refused, says what to do, and costs no partition its owner', async () => {
  await using world = await createNatsWorld({ nats: stock })
  const { client, engine } = world
  await client.queues.create('mail', { groups: 'fair' })
  const send = (count: number, number: number): CommandOf<'Enqueue'> => ({
    type: 'Enqueue',
    queue: 'mail',
    producer: 'p',
    send: number,
    messages: Array.from({ length: count }, () => encodeEnvelope(new Uint8Array(370))),
    tags: Array.from({ length: count }, (_, n) => wide(n)),
    groups: Array.from({ length: count }, (_, n) => wide(n + 1)),
  })
  const ask = async (command: Command) => (await engine.request(0, [command])).answers[0]!
  expect(await ask(send(1_000, 1))).toMatchObject({
    error: { id: 'BodyTooLarge', message: expect.stringContaining('fewer messages') as string },
  })
  expect(await ask(send(500, 2))).toMatchObject({ ok: { count: 500 } })
  expect(engine.actor(0).epoch).toBe(1)
})

it('[CARD-02] 100,000 leases that expire at once become records that the log takes', async () => {
  await using world = await createNatsWorld({ nats: stock })
  const { client, engine } = world
  await client.queues.create('mail', { leaseMs: 2_000, retry: jittered, retriesMax: 10 })
  for (let n = 0; n < 10; n++)
    await client.sendBatch(
      'mail',
      Array.from({ length: 10_000 }, () => ({ body: 'x' })),
    )
  const received: Delivery[] = []
  const receive = async (n: number): Promise<void> => {
    const reply = await engine.request(0, [
      {
        type: 'Receive',
        queue: 'mail',
        poll: `p${n}`,
        max: 1_000,
        bytesMax: 1e9,
        waitMs: 10_000,
        mode: 'push',
        consumer: 'c',
      },
    ])
    const { ok } = reply.answers[0]!
    received.push((ok as { delivery: Delivery }).delivery)
  }
  await Promise.all(Array.from({ length: 100 }, (_, n) => receive(n)))
  expect(received.flatMap(({ numbers }) => rangesOf(numbers))).toHaveLength(100_000)
  await expect
    .poll(async () => (await client.queues.describe('mail')).counts, { timeout: 60_000 })
    .toMatchObject({ inflight: 0 })
  expect(engine.actor(0).epoch).toBe(1)
})

it('[CARD-02] the list of 10,000 queues reaches a client over a server that takes 1 MiB, and one more is refused at once', async () => {
  await using world = await createNatsWorld({ nats: stock })
  const { engine } = world
  const creates = Array.from({ length: 10_000 }, (_, n) => ({
    type: 'CreateQueue' as const,
    queue: `${n}`.padEnd(80, 'q'),
    config: {},
    by,
  }))
  const { answers } = await engine.request(0, creates)
  expect(answers.filter(({ error }) => error !== undefined)).toEqual([])
  expect(engine.actor(0).epoch).toBe(1)
  const { client } = await world.remoteClient('lister')
  expect(await client.queues.list()).toHaveLength(10_000)
  await expect(client.queues.create('one-more')).rejects.toMatchObject({
    id: 'LimitReached',
    retryable: false,
  })
})
