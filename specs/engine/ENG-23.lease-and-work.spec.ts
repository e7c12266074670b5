import { expect, it } from 'vitest'
import { createWorld, scrapeMetrics, type World } from '../harness/index.ts'

/** What is warned about leases, where the queue is looked at, listed and counted. */
const leaseWarnings = async (world: World): Promise<readonly string[]> => {
  const { warnings } = await world.client.queues.describe('mail')
  expect((await world.client.queues.list()).find(({ name }) => name === 'mail')!.warnings).toEqual(warnings)
  expect((await scrapeMetrics(world)).get('kiroku_queue_warnings{queue="mail"}')).toBe(warnings.length)
  return warnings.filter((warning) => warning.includes('lease of'))
}

const bodies = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

it('[ENG-23] a lease that ends while handlers work is warned about, with the lease to set, until they have it', async () => {
  await using world = await createWorld()
  await world.queue('mail', { leaseMs: 10_000, deadLetter: 'dead', retriesMax: 9 })
  const handle = async (): Promise<void> => {
    await world.sendBatch('mail', bodies(30))
    const messages = await world.receive('mail', { max: 30 })
    await world.advance('25 seconds')
    await world.client.ack(messages.map(({ receipt }) => receipt))
  }
  expect(await leaseWarnings(world)).toEqual([])
  await handle()
  expect(await leaseWarnings(world)).toEqual([
    'Handlers finish after their lease of 10 s has expired, so their messages are delivered again: set leaseMs to 1 min, or have consumers renew leases while they work.',
  ])
  await world.client.queues.update('mail', { leaseMs: 60_000 })
  await handle()
  expect(await leaseWarnings(world)).toEqual([])
})

it('[ENG-23] the native client, which renews leases while it works, is warned only when it does so repeatedly', async () => {
  for (const [handledIn, told] of [
    ['8 seconds', []],
    [
      '30 seconds',
      [
        'Most attempts take 30 s or longer and renew their lease of 1 s again and again, which writes an event each time: set leaseMs to 10 s.',
      ],
    ],
  ] as const) {
    await using world = await createWorld()
    await world.queue('mail', { leaseMs: 1_000, deadLetter: 'dead', batchMessages: 10 })
    await world.consumer('mail', () => world.sleep(handledIn), { concurrency: 3 })
    await world.sendBatch('mail', bodies(30))
    await world.advance('31 seconds')
    expect(await world.counts('mail')).toMatchObject({ committed: 30, redelivered: 0 })
    expect(await leaseWarnings(world)).toEqual(told)
  }
})

it('[ENG-23] a lease far longer than any attempt is warned about, since a crash holds up its messages for so long', async () => {
  await using world = await createWorld()
  await world.queue('mail', { leaseMs: 6 * 3_600_000, deadLetter: 'dead' })
  const consumer = await world.consumer('mail', () => world.sleep('2 seconds'))
  await world.sendBatch('mail', bodies(99))
  await world.advance('10 seconds')
  expect(await leaseWarnings(world)).toEqual([])
  await world.sendBatch('mail', bodies(100))
  await world.advance('10 seconds')
  expect(await leaseWarnings(world)).toEqual([
    'Attempts finish within 2 s, but messages of a crashed consumer come back only when their lease of 6 h expires: set leaseMs to 30 s.',
  ])
  await consumer.stop()
})

it('[ENG-23] the subscription is named where a queue has several, and an attempt that takes long keeps a long lease', async () => {
  await using world = await createWorld()
  await world.queue('mail', { deadLetter: 'dead' })
  for (const name of ['billing', 'export'])
    await world.client.queues.subscriptions.create('mail', name, { leaseMs: 3_600_000 })
  let first = true
  await world.consumer('mail', () => {}, { subscription: 'billing' })
  await world.consumer('mail', () => (first ? ((first = false), world.sleep('5 minutes')) : undefined), {
    subscription: 'export',
  })
  await world.sendBatch('mail', bodies(1))
  await world.advance('6 minutes')
  await world.sendBatch('mail', bodies(200))
  await world.advance('1 second')
  expect(await world.counts('mail')).toMatchObject({ committed: 402 })
  expect(await leaseWarnings(world)).toEqual([
    expect.stringMatching(
      /^Subscription billing: Attempts finish within 1 s,.* lease of 1 h expires: set leaseMs to 30 s\.$/u,
    ),
  ])
})
