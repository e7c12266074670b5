import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '@kiroku/testkit'
import { readWranglerConfig, runWorker, type WorkerConfig } from '@kiroku/worker'
import { createWorld, type World } from '../harness/index.ts'
import {
  configurationSample,
  deadLetterSample,
  samplesWithoutDoor,
  sendSample,
  workerSamples,
} from './codeSamples.ts'

const root = path.resolve(import.meta.dirname, '..', '..')

/** A Worker as written today: its own body type, a binding, `satisfies`. */
const today = `
export default {
  async queue(batch: MessageBatch<{ to: string }>, env: Env, ctx: ExecutionContext): Promise<void> {
    ctx.waitUntil(env.MY_QUEUE.sendBatch(batch.messages.map(({ body }) => ({ body: body.to }))))
  },
} satisfies ExportedHandler<Env>`

/** Bindings, declared as `wrangler types` does and by hand. */
const bindings = `
declare namespace Cloudflare { interface Env { MY_QUEUE: Queue<string> } }
interface Env { YOUR_QUEUE: Queue }`

/** Modules whose types are checked in one go, by their file. */
const modules = new Map([
  ...workerSamples.map(({ text }, i) => [`sample${i}.ts`, text] as const),
  ['send.ts', sendSample],
  ['today.ts', today],
  ['wrongBody.ts', today.replace('body.to', 'body.form')],
  ['wrongSend.ts', today.replace('body: body.to', 'body: 1')],
  ['wrongDelay.ts', sendSample.replace('delaySeconds: 600', "delaySeconds: '600'")],
])

/** What TypeScript says of the modules, whose globals are those of `@kiroku/worker/globals` and the bindings, by file. */
let errors: Partial<Record<string, string[]>>

beforeAll(async () => {
  await using folder = await temporaryFolder()
  const write = (name: string, text: string) => writeFile(path.join(folder.path, name), text)
  for (const [name, text] of modules) await write(name, text)
  await write('env.d.ts', bindings)
  const config = {
    extends: path.join(root, 'tsconfig.base.json'),
    compilerOptions: {
      // Samples take all that a handler gets, whether they use it or not.
      noUnusedLocals: false,
      noUnusedParameters: false,
      module: 'esnext',
      moduleResolution: 'bundler',
      typeRoots: [path.join(root, 'node_modules', '@types')],
    },
    files: [...modules.keys(), 'env.d.ts', fileURLToPath(import.meta.resolve('@kiroku/worker/globals'))],
  }
  await write('tsconfig.json', JSON.stringify(config))
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const said = await promisify(execFile)(process.execPath, [tsc, '-p', folder.path], {
    cwd: folder.path,
  }).then(
    ({ stdout }) => stdout,
    (error: { readonly stdout: string }) => error.stdout,
  )
  errors = Object.groupBy(
    said.split('\n').filter((line) => /^\S/.test(line)),
    (line) => /^[\w.]+/.exec(line)?.[0] ?? '',
  )
}, 120_000)

/** Runs a module, TypeScript as it is written, as `kiroku work` does. */
const work = async (world: World, text: string, config: WorkerConfig): Promise<void> => {
  await using folder = await temporaryFolder()
  const modulePath = path.join(folder.path, 'index.ts')
  await writeFile(modulePath, text)
  await runWorker({ client: world.client, modulePath, config })
  await world.time.settle()
}

/** The pauses before a message's next attempts, in seconds, as they are on record. */
const pausesOf = async (world: World): Promise<number[]> =>
  (await world.record()).flatMap((event) =>
    event.type === 'RetryScheduled' ? [event.dueAt === 0 ? 0 : (event.dueAt - event.at) / 1_000] : [],
  )

it.for(workerSamples.map((sample, i) => ({ ...sample, file: `sample${i}.ts` })))(
  '[ENG-18] a Worker of the documents type-checks and runs unchanged: $name',
  async ({ text, pauses, file }) => {
    expect(errors[file]).toBeUndefined()

    await using world = await createWorld()
    await work(world, text, { consumers: [{ queue: 'mail', batchWaitMs: 0, retriesMax: 2 }] })
    await world.send('mail', 'x')
    await world.advance('3 hours')
    expect(await pausesOf(world)).toEqual(pauses)
    expect(await world.counts('mail')).toMatchObject(
      pauses.length === 0 ? { committed: 1, redelivered: 0 } : { committed: 0, redelivered: 2, discarded: 1 },
    )
  },
)

it('[ENG-18] the sends of the documents type-check and run as they stand', async () => {
  expect(errors['send.ts']).toBeUndefined()

  await using world = await createWorld()
  await world.queue('yours')
  await work(world, sendSample, {
    consumers: [{ queue: 'mail', batchWaitMs: 0 }],
    producers: [{ binding: 'YOUR_QUEUE', queue: 'yours', deliveryDelayMs: 60_000 }],
  })
  const received = await world.consumer('yours')
  await world.send('mail', 'x')
  await world.advance('15 minutes')
  expect(received.batches.map(({ at, bodies }) => [at, bodies])).toEqual([
    [0, [{ n: 2 }, { n: 3 }]],
    [300, [{ n: 2 }, { n: 3 }]],
    [600, [{ n: 1 }]],
  ])
})

it('[ENG-18] the configurations of the documents are read as they stand', async () => {
  await using folder = await temporaryFolder()
  const file = path.join(folder.path, 'wrangler.toml')
  await writeFile(file, configurationSample)
  expect(await readWranglerConfig(file)).toMatchObject({
    producers: [{ binding: '<BINDING_NAME>', queue: '<QUEUE-NAME>', deliveryDelayMs: 60_000 }],
    consumers: [{ queue: 'my-queue', retryDelayMs: 300_000 }],
  })

  // They are lines of a consumer, and the document leaves its head to the reader
  await writeFile(file, `[[queues.consumers]]${deadLetterSample}`)
  expect(await readWranglerConfig(file)).toMatchObject({
    consumers: [{ queue: 'my-queue', deadLetter: 'my-other-queue' }],
  })
})

it('[ENG-18] a Worker as written today has its types, and runs', async () => {
  expect(errors['today.ts']).toBeUndefined()
  expect(errors['wrongBody.ts']).toEqual([expect.stringContaining("'form' does not exist")])
  expect(errors['wrongSend.ts']).toEqual([expect.stringContaining('MessageSendRequest<string>')])
  expect(errors['wrongDelay.ts']).toEqual([expect.stringContaining("'string' is not assignable")])
  expect(Object.keys(errors)).toHaveLength(3)

  await using world = await createWorld()
  await work(world, today, {
    consumers: [{ queue: 'mail', batchWaitMs: 0 }],
    producers: [{ binding: 'MY_QUEUE', queue: 'mine' }],
  })
  await world.send('mail', { to: 'ada' })
  expect((await world.receive('mine'))[0]!.json()).toBe('ada')
})

it.for(samplesWithoutDoor)('[ENG-18] waits for its door: %s', ([, reason], { skip }) => skip(reason))
