import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { CreateQueueCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { temporaryFolder, waitUntil, type TemporaryFolder } from '@kiroku/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aws, debians, python, pythonVersion } from './sqsClients.ts'
import { createSqsWorld, type SqsWorld } from './SqsWorld.ts'
import { curlStart, startOf } from './startOf.ts'

const run = promisify(execFile)
const isRequired = process.env['KIROKU_REQUIRE_ALL'] === '1'

/** Whether clients are here; `.ci/install-clients` brings them. */
const areThere = (what: string, isThere: boolean): boolean => {
  if (!isThere && !isRequired)
    console.warn(`The specs of ${what} are SKIPPED: it is not installed; run .ci/install-clients.`)
  return isThere || isRequired
}

/** All of them sign with it. */
const secret = 'any-secret-of-length'

let world: SqsWorld
let sqs: SQSClient
let folder: TemporaryFolder
/** As README.md has it, but for the secret. */
let env: NodeJS.ProcessEnv
const children: ChildProcess[] = []
beforeAll(async () => {
  world = await createSqsWorld(`debian:admin:any:${secret}`)
  sqs = new SQSClient({
    endpoint: world.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'any', secretAccessKey: secret },
  })
  folder = await temporaryFolder()
  env = {
    PATH: process.env['PATH'],
    HOME: folder.path,
    AWS_REGION: 'us-east-1',
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'any',
    AWS_SECRET_ACCESS_KEY: secret,
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONWARNINGS: 'ignore',
  }
})
afterAll(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  sqs.destroy()
  await folder.remove()
  expect(world.defects).toEqual([])
  await world[Symbol.asyncDispose]()
})

const start = (args: readonly string[], more: NodeJS.ProcessEnv = {}): ChildProcess => {
  const child = spawn(python, args, {
    cwd: folder.path,
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  return child
}

/** A program that begins as README.md says. */
const programOf = (client: 'boto3' | 'celery', rest: string, into: string): string => {
  const file = path.join(folder.path, into)
  const program = readFileSync(path.join(import.meta.dirname, rest), 'utf8')
  writeFileSync(file, `${startOf(client, world.url)}\n${program}`)
  return file
}

describe.each(Object.entries(debians))('[SQS-13] %s', (debian, { protocol, pythonPath }) => {
  const inDebian = { protocol, pythonPath }
  const isHere = ['boto3', 'celery'].every((name) => pythonVersion(name, inDebian) !== undefined)
  const own = pythonPath === undefined ? [] : [pythonPath]
  const paths = (...more: readonly string[]) => ({ PYTHONPATH: [...own, ...more].join(':') })

  describe.skipIf(!areThere(`boto3 and celery of ${debian}`, isHere))('its clients', () => {
    it(`boto3 (${protocol}) does all that it can do, by client and by resource`, async () => {
      const program = programOf('boto3', 'boto3Program.py', `boto3-${protocol}.py`)
      const { stdout } = await run(python, [program, world.url], { env: { ...env, ...paths() } })
      const [hello, told] = stdout.trim().split('\n')
      expect(hello).toBe('hello')
      expect(told).toMatch(protocol === 'json' ? / json 23$/ : / query 20$/)
      await world.client.queues.purge('orders')
    })

    it(
      `celery (${protocol}) works off tasks, retries one, waits for one, and loses none with a worker that is killed`,
      { timeout: 120_000 },
      async () => {
        const queue = `celery-${protocol}`
        const output = path.join(folder.path, `output-${protocol}`)
        const modules = path.join(folder.path, protocol)
        mkdirSync(modules)
        copyFileSync(path.join(import.meta.dirname, 'celerySend.py'), path.join(modules, 'celerySend.py'))
        programOf('celery', 'celeryTasks.py', `${protocol}/celeryTasks.py`)
        const more = { QUEUE: queue, OUTPUT: output, ...paths(modules) }
        const worker = () => {
          const child = start(
            [
              ...['-m', 'celery', '-A', 'celeryTasks', 'worker', '--pool', 'solo'],
              ...['--without-gossip', '--without-mingle', '--loglevel', 'CRITICAL'],
            ],
            more,
          )
          child.stdout!.resume()
          return child
        }
        await run(python, [path.join(modules, 'celerySend.py')], { env: { ...env, ...more } })
        const first = worker()
        await waitUntil(() => existsSync(`${output}.hung`), { timeoutMs: 60_000 })
        const gone = once(first, 'exit')
        first.kill('SIGKILL')
        await gone
        const second = worker()
        const lines = () => new Set(existsSync(output) ? readFileSync(output, 'utf8').trim().split('\n') : [])
        const wanted = [
          'a 0',
          'b 0',
          'c 0',
          'done after all',
          'later 0',
          'retried 0',
          'retried 1',
          'retried 2',
        ]
        await waitUntil(() => lines().size === wanted.length, { timeoutMs: 60_000 })
        expect([...lines()].sort()).toEqual(wanted)
        // All of them were acknowledged, those that the first worker took as well.
        await waitUntil(async () => {
          const { available, inflight, committed, sent } = (await world.client.queues.describe(queue)).counts
          return available + inflight === 0 && committed === sent
        })
        const ended = once(second, 'exit')
        second.kill('SIGTERM')
        await ended
      },
    )
  })
})

describe('[SQS-13] other programs', () => {
  it.skipIf(!areThere('awscli', existsSync(aws)))(
    'awscli (query) creates a queue, sends, receives and deletes',
    async () => {
      const begun = await run('sh', ['-ec', startOf('awscli', world.url)], { env })
      const { Messages } = JSON.parse(begun.stdout.slice(begun.stdout.lastIndexOf('{\n    "Messages"'))) as {
        readonly Messages: readonly { readonly Body: string; readonly ReceiptHandle: string }[]
      }
      expect(Messages.map(({ Body }) => Body)).toEqual(['hello'])
      const before = await world.client.queues.describe('orders')
      const url = `${world.url}/000000000000/orders`
      const handle = Messages[0]!.ReceiptHandle
      const deletion = ['delete-message', '--queue-url', url, '--receipt-handle', handle]
      await run(aws, ['--endpoint-url', world.url, 'sqs', ...deletion], { env })
      const { counts } = await world.client.queues.describe('orders')
      expect(counts.committed).toBe(before.counts.committed + 1)
    },
  )

  it('curl (query) creates a queue, sends and receives, where no keys are', async () => {
    await using open = await createSqsWorld()
    const { stdout } = await run('sh', ['-ec', curlStart(open.url)], { env })
    expect(stdout).toContain(`<QueueUrl>${open.url}/000000000000/orders</QueueUrl>`)
    expect(stdout).toContain('<Body>hello</Body>')
    expect(open.defects).toEqual([])
  })

  const both = Object.values(debians).every((each) => pythonVersion('boto3', each) !== undefined)
  it.skipIf(!areThere('boto3 of two Debians at once', both))(
    'boto3 (query) and boto3 (json) share a queue that the AWS SDK fills: each message is handled once',
    { timeout: 120_000 },
    async () => {
      const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'shared' }))
      const handled = Object.values(debians).map((debian) => {
        const args = [path.join(import.meta.dirname, 'sharedQueueProgram.py'), world.url, QueueUrl!]
        const child = start(args, debian.pythonPath === undefined ? {} : { PYTHONPATH: debian.pythonPath })
        const lines: string[] = []
        createInterface(child.stdout!).on('line', (line) => lines.push(line))
        return { lines, ended: once(child, 'exit') }
      })
      const sent: string[] = []
      const send = (MessageBody: string) => sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }))
      // Until both are at work, and have had enough of it.
      while (sent.length < 100 || handled.some(({ lines }) => lines.length < 20)) {
        const round = Array.from({ length: 10 }, (_, i) => `${sent.length + i}`)
        await Promise.all(round.map(send))
        sent.push(...round)
        await waitUntil(async () => (await world.client.queues.describe('shared')).counts.available < 20)
      }
      for (const { ended } of handled) {
        await send('stop')
        await Promise.race([ended, ...handled.map((each) => each.ended)])
      }
      await send('stop')
      await Promise.all(handled.map(({ ended }) => ended))
      const all = handled.flatMap(({ lines }) => lines).filter((line) => line !== 'stop')
      expect(all.sort()).toEqual(sent.sort())
    },
  )
})
