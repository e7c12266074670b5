import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '@kiroku/testkit'
import { readWranglerConfig, runWorker, type RunningWorker } from '@kiroku/worker'
import { createWorld, type World } from '../harness/index.ts'

const toml = (retries: number): string => `
name = "mailer"

[[queues.producers]]
binding = "MAIL"
queue = "mail"
delivery_delay = 60

[[queues.consumers]]
queue = "mail"
max_batch_size = 20
max_batch_timeout = 3
max_retries = ${retries}
retry_delay = 10
dead_letter_queue = "mail-dlq"
`

const jsonc = `{
  // The same, as Wrangler writes it today
  "name": "mailer",
  "queues": {
    "producers": [{ "binding": "MAIL", "queue": "mail", "delivery_delay": 60 }],
    "consumers": [
      {
        "queue": "mail",
        "max_batch_size": 20,
        "max_batch_timeout": 3,
        "max_retries": 5,
        "retry_delay": 10,
        "dead_letter_queue": "mail-dlq",
      },
    ],
  },
}`

/** Starts the Worker of a wrangler file, as every machine of it would. */
const started = async (world: World, name: string, text: string): Promise<RunningWorker> => {
  await using folder = await temporaryFolder()
  const file = path.join(folder.path, name)
  await writeFile(file, text)
  const config = await readWranglerConfig(file)
  return runWorker({ client: world.newClient('worker'), config, module: { queue: () => {} } })
}
const restarted = async (world: World, text: string): Promise<void> => {
  const worker = await started(world, 'wrangler.toml', text)
  await worker.stop()
}

const configOf = async (world: World) => (await world.client.queues.describe('mail')).config

it.each([
  ['wrangler.toml', toml(5)],
  ['wrangler.jsonc', jsonc],
])('[CF-18] settings come from %s', async (name, text) => {
  await using world = await createWorld()
  const worker = await started(world, name, text)
  expect(await configOf(world)).toMatchObject({
    deliveryDelayMs: 60_000,
    batchMessages: 20,
    batchWaitMs: 3_000,
    retriesMax: 5,
    retry: { kind: 'fixed', delayMs: 10_000 },
    deadLetter: { name: 'mail-dlq' },
  })
  await worker.stop()
})

it('[CF-18] a later change by command line stays when the Worker starts again with the same file', async () => {
  // Given settings of a file, and one of them changed by hand since
  await using world = await createWorld()
  await restarted(world, toml(5))
  await world.client.queues.update('mail', { retriesMax: 9 }, { name: 'ann', origin: 'cli' })

  // Then no start of the Worker takes it back, whatever happened to the engine, and comments are no change
  await restarted(world, toml(5))
  await world.restart('crash')
  await restarted(world, `# the same\n${toml(5)}`)
  expect(await configOf(world)).toMatchObject({ retriesMax: 9, batchMessages: 20 })
})

it('[CF-18] a file that was changed later beats the command line', async () => {
  await using world = await createWorld()
  await restarted(world, toml(5))
  await world.client.queues.update('mail', { retriesMax: 9, leaseMs: 90_000 })

  await restarted(world, toml(7))
  expect((await configOf(world)).retriesMax).toBe(7)
  await world.client.queues.update('mail', { retriesMax: 8 })
  await restarted(world, toml(7))
  expect((await configOf(world)).retriesMax).toBe(8)

  // Also when the file goes back to what it said before; and what it never said stays as it was set by hand
  await restarted(world, toml(5))
  expect(await configOf(world)).toMatchObject({ retriesMax: 5, leaseMs: 90_000 })
})

it('[CF-18] the record says which file a change came from, and who made which by hand', async () => {
  await using world = await createWorld()
  await restarted(world, toml(5))
  await world.client.queues.update('mail', { retriesMax: 9 }, { name: 'ann', origin: 'cli' })
  await restarted(world, toml(5))
  const changes = (await world.record()).filter(({ type }) => /^Queue(Created|Configured)$/.test(type))
  expect(changes).toMatchObject([
    { type: 'QueueCreated', name: 'mail-dlq' },
    { type: 'QueueCreated', name: 'mail', applied: { source: 'worker mailer' } },
    { type: 'QueueConfigured', config: { retriesMax: 9 }, by: { name: 'ann', origin: 'cli' } },
  ])
})

it('[CF-18] several machines that start with a changed file apply it once', async () => {
  await using world = await createWorld()
  await restarted(world, toml(5))
  await Promise.all([restarted(world, toml(7)), restarted(world, toml(7)), restarted(world, toml(7))])
  const configured = (await world.record()).filter(({ type }) => type === 'QueueConfigured')
  expect(configured).toHaveLength(1)
})
