import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { temporaryFolder, type TemporaryFolder } from '@kiroku/testkit'
import { readWranglerConfig } from './readWranglerConfig.ts'

const folders: TemporaryFolder[] = []
afterEach(async () => {
  for (const folder of folders.splice(0)) await folder.remove()
})

const written = async (name: string, text: string): Promise<string> => {
  const folder = await temporaryFolder()
  folders.push(folder)
  const file = path.join(folder.path, name)
  await writeFile(file, text)
  return file
}

const toml = `
name = "mailer"
main = "src/index.ts"

[vars]
GREETING = "hi"
NESTED = { deep = [1, 2] }

[[queues.producers]]
binding = "OUT"
queue = "outgoing"
delivery_delay = 60

[[queues.consumers]]
queue = "incoming"
max_batch_size = 30
max_batch_timeout = 10
max_retries = 5
dead_letter_queue = "incoming-dlq"
max_concurrency = 4
retry_delay = 120

[[queues.consumers]]
queue = "other"

[env.staging.vars]
GREETING = "hello"
[[env.staging.queues.consumers]]
queue = "incoming-staging"
`

describe('wrangler.toml', () => {
  it('gives main, vars, producers and consumers, in ms', async () => {
    const file = await written('wrangler.toml', toml)
    expect(await readWranglerConfig(file)).toEqual({
      name: 'mailer',
      main: path.join(path.dirname(file), 'src/index.ts'),
      vars: { GREETING: 'hi', NESTED: { deep: [1, 2] } },
      producers: [{ binding: 'OUT', queue: 'outgoing', deliveryDelayMs: 60_000 }],
      consumers: [
        {
          queue: 'incoming',
          batchMessages: 30,
          batchWaitMs: 10_000,
          retriesMax: 5,
          deadLetter: 'incoming-dlq',
          concurrency: 4,
          retryDelayMs: 120_000,
        },
        { queue: 'other' },
      ],
    })
  })

  it('lets an environment replace the top level', async () => {
    const config = await readWranglerConfig(await written('wrangler.toml', toml), { env: 'staging' })
    expect(config).toMatchObject({
      name: 'mailer-staging',
      vars: { GREETING: 'hello' },
      consumers: [{ queue: 'incoming-staging' }],
      producers: [],
    })
    expect(config.main).toMatch(/src\/index\.ts$/)
  })

  it.each([
    [
      '[[queues.consumers]]\nqueue = "a"\n[[queues.consumers]]\nqueue = "b"\nmax_retries = 101\n',
      '5:1',
      'max_retries',
    ],
    ['[[queues.consumers]]\nqueue = "a"\n  type = "http_pull"\n', '3:3', 'http_pull'],
    ['[[queues.producers]]\nqueue = "a"\nbindings = "B"\n', '3:1', 'bindings is not known'],
    ['a = 1\nb = 1 2\n', '2:7', 'Invalid TOML'],
  ])('names the place of a mistake', async (text, line, what) => {
    const file = await written('wrangler.toml', text)
    const error = await readWranglerConfig(file).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ id: 'InvalidConfig' })
    expect(String(error)).toContain(`${file}:${line}: `)
    expect(String(error)).toContain(what)
  })
})

describe('wrangler.jsonc', () => {
  it('may have comments and trailing commas', async () => {
    const file = await written(
      'wrangler.jsonc',
      '{\n  // the worker\n  "main": "index.js",\n  "queues": { "consumers": [{ "queue": "q", "max_concurrency": null }] },\n}',
    )
    expect(await readWranglerConfig(file)).toMatchObject({ consumers: [{ queue: 'q' }], vars: {} })
  })

  it.each([
    [
      '{\n "queues": {\n "consumers": [\n { "queue": "q",\n "max_batch_size": 0 } ] } }',
      '5:2',
      'from 1 to 100',
    ],
    ['{\n "queues": {\n "producers": [\n { "queue": "q" } ] } }', '4:2', 'needs "binding"'],
    ['{\n "queues": {\n "consumers": [\n { "queue": "q", "max_retrys": 3 } ] } }', '4:18', 'is not known'],
    ['{\n "queues": 7 }', '2:2', 'must be a table'],
  ])('names the place of a mistake', async (text, line, what) => {
    const file = await written('wrangler.jsonc', text)
    const error = await readWranglerConfig(file).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ id: 'InvalidConfig' })
    expect(String(error)).toContain(`${file}:${line}: `)
    expect(String(error)).toContain(what)
  })
})

it('names the place where JSON is malformed', async () => {
  const file = await written('wrangler.jsonc', '{\n "main": "a"\n "vars": {} }')
  const problem = { id: 'MalformedJson', message: `${file}:3:2: a comma is expected here` }
  await expect(readWranglerConfig(file)).rejects.toMatchObject(problem)
})

it('says which environment or file is missing', async () => {
  const file = await written('wrangler.toml', toml)
  await expect(readWranglerConfig(file, { env: 'nope' })).rejects.toThrow('no environment "nope"')
  await expect(readWranglerConfig(`${file}.json`)).rejects.toMatchObject({ id: 'InvalidConfig' })
})
