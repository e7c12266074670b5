import { expect, it } from 'vitest'
import { createWorld, scrapeMetrics, type World } from '../harness/index.ts'

const warningsOf = async (world: World): Promise<readonly string[]> => {
  const { warnings } = await world.client.queues.describe('mail')
  expect((await world.client.queues.list()).find(({ name }) => name === 'mail')!.warnings).toEqual(warnings)
  expect((await scrapeMetrics(world)).get('kiroku_queue_warnings{queue="mail"}')).toBe(warnings.length)
  return warnings
}

const most = (error: string) =>
  expect.stringContaining(`Most attempts of the last minute failed, most often with "${error}"`) as string

/** Ten messages that a consumer tries until they are dead, and as many that it handles. */
const work = async (world: World, subscription?: string): Promise<void> => {
  await world.consumer(
    'mail',
    (batch) => {
      for (const message of batch.messages) {
        const n = Number(message.text())
        if (n < 10) message.retry({ error: n < 3 ? 'HTTP 500' : 'HTTP 429' })
      }
    },
    { subscription },
  )
  await world.sendBatch(
    'mail',
    Array.from({ length: 20 }, (_, i) => `${i}`),
  )
  await world.advance('10 seconds')
}

it('[ENG-21] a queue where most attempts fail is warned about with the most frequent error, until they fail no longer', async () => {
  await using world = await createWorld()
  await world.queue('mail', { retriesMax: 2, deadLetter: 'dead' })
  expect(await warningsOf(world)).toEqual([])
  await work(world)
  expect(await world.counts('mail')).toMatchObject({ committed: 10, deadLettered: 10 })
  expect(await warningsOf(world)).toEqual([most('HTTP 429')])
  await world.advance('2 minutes')
  expect(await warningsOf(world)).toEqual([])
})

it('[ENG-21] a queue where no more than half of the attempts fail is not', async () => {
  await using world = await createWorld()
  await world.queue('mail', { retriesMax: 0, deadLetter: 'dead' })
  await work(world)
  expect(await world.counts('mail')).toMatchObject({ committed: 10, deadLettered: 10 })
  expect(await warningsOf(world)).not.toContainEqual(most('HTTP 429'))
})

it('[ENG-21] the subscription is named where a queue has several', async () => {
  await using world = await createWorld()
  await world.queue('mail', { deadLetter: 'dead' })
  await world.client.queues.subscriptions.create('mail', 'billing', { retriesMax: 2 })
  await work(world, 'billing')
  expect(await warningsOf(world)).toEqual([
    expect.stringMatching(/^Subscription billing: Most attempts .* "HTTP 429"/u),
  ])
})

it('[ENG-21] errors that differ only in what they name are one, as in the groups of dead letters', async () => {
  // Given 14 failures of one form, of which no two are alike, and 8 of another that are all alike
  await using world = await createWorld()
  await world.queue('mail', { retriesMax: 1, deadLetter: 'dead' })
  await world.consumer('mail', (batch) => {
    for (const message of batch.messages) {
      const n = Number(message.text())
      message.retry({ error: n < 14 ? `no such city: "town ${n}" (row ${n * 7})` : 'HTTP 500' })
    }
  })
  await world.sendBatch(
    'mail',
    Array.from({ length: 22 }, (_, i) => `${i}`),
  )
  await world.advance('1 second')

  // Then the form is what most failed with
  expect(await warningsOf(world)).toEqual([most('no such city: <text> (row <n>)')])
})

it('[ENG-21] leases that end unsettled are failed attempts', async () => {
  await using world = await createWorld()
  await world.queue('mail', { leaseMs: 1_000, deadLetter: 'dead' })
  await world.sendBatch(
    'mail',
    Array.from({ length: 30 }, (_, i) => i),
  )
  await world.receive('mail', { max: 30 })
  await world.advance('2 seconds')
  expect(await warningsOf(world)).toEqual([most('the lease ended')])
})
