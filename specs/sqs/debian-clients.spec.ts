import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder, waitUntil } from '@kiroku/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSqsWorld, type SqsWorld } from './SqsWorld.ts'

const run = promisify(execFile)
const python = '/usr/bin/python3'
const aws = '/usr/bin/aws'

const hasModule = (name: string): boolean =>
  ['', '.cpython-311-x86_64-linux-gnu.so', '.cpython-311-aarch64-linux-gnu.so'].some((suffix) =>
    existsSync(`/usr/lib/python3/dist-packages/${name}${suffix}`),
  )

/** Whether Debian's clients are here; `.ci/install-clients` brings them. */
const areThere = existsSync(aws) && ['boto3', 'celery', 'pycurl'].every((name) => hasModule(name))
if (!areThere && process.env['KIROKU_REQUIRE_ALL'] !== '1')
  console.warn(
    'The specs of boto3, awscli and celery are SKIPPED: they are not installed; run .ci/install-clients.',
  )

/** All of them sign with it. */
const secret = 'any-secret-of-length'

let world: SqsWorld
beforeAll(async () => {
  world = await createSqsWorld(`debian:admin:any:${secret}`)
})
afterAll(async () => {
  expect(world.defects).toEqual([])
  await world[Symbol.asyncDispose]()
})

describe.skipIf(!areThere && process.env['KIROKU_REQUIRE_ALL'] !== '1')('Debian’s clients of SQS', () => {
  it('boto3 in the Query protocol: queues, messages, batches and errors, by client and by resource', async () => {
    const { stdout } = await run(python, [
      path.join(import.meta.dirname, 'boto3Program.py'),
      world.url,
      secret,
    ])
    expect(stdout).toMatch(/ query$/m)
  })

  it('awscli creates a queue, sends, receives and deletes', async () => {
    const env = {
      PATH: process.env['PATH'],
      HOME: '/nonexistent',
      AWS_ACCESS_KEY_ID: 'any',
      AWS_SECRET_ACCESS_KEY: secret,
      AWS_DEFAULT_REGION: 'us-east-1',
    }
    const sqs = async (...args: string[]): Promise<Record<string, unknown>> => {
      const { stdout } = await run(aws, ['--endpoint-url', world.url, 'sqs', ...args], { env })
      return stdout === '' ? {} : (JSON.parse(stdout) as Record<string, unknown>)
    }
    const { QueueUrl: url } = (await sqs('create-queue', '--queue-name', 'cli')) as {
      readonly QueueUrl: string
    }
    await sqs('send-message', '--queue-url', url, '--message-body', 'from the shell')
    const { Messages } = (await sqs('receive-message', '--queue-url', url, '--wait-time-seconds', '5')) as {
      readonly Messages: readonly { readonly Body: string; readonly ReceiptHandle: string }[]
    }
    expect(Messages.map(({ Body }) => Body)).toEqual(['from the shell'])
    await sqs('delete-message', '--queue-url', url, '--receipt-handle', Messages[0]!.ReceiptHandle)
    expect(await world.client.queues.describe('cli')).toMatchObject({ counts: { committed: 1 } })
  })

  it('celery works off tasks, retries one after a pause, and waits for one that is not due', async () => {
    await using folder = await temporaryFolder()
    const output = path.join(folder.path, 'output')
    const options = {
      cwd: folder.path,
      env: {
        PATH: process.env['PATH'],
        HOME: folder.path,
        BROKER: `sqs://any:${secret}@${new URL(world.url).host}`,
        OUTPUT: output,
        PYTHONPATH: import.meta.dirname,
        PYTHONDONTWRITEBYTECODE: '1',
      },
    }
    const worker = spawn(
      python,
      [
        '-m',
        'celery',
        '-A',
        'celeryTasks',
        'worker',
        '--pool',
        'solo',
        '--without-gossip',
        '--without-mingle',
      ],
      { ...options, stdio: 'ignore' },
    )
    const ended = once(worker, 'exit')
    try {
      await run(python, [path.join(import.meta.dirname, 'celerySend.py')], options)
      const lines = () => (existsSync(output) ? readFileSync(output, 'utf8').trim().split('\n') : [])
      await waitUntil(() => lines().length === 7, { timeoutMs: 60_000 })
      expect(lines().sort()).toEqual(['a 0', 'b 0', 'c 0', 'later 0', 'retried 0', 'retried 1', 'retried 2'])
      // All of them were acknowledged.
      await waitUntil(async () => {
        const { counts } = await world.client.queues.describe('celery')
        return counts.committed === 7 && counts.inflight === 0
      })
    } finally {
      worker.kill('SIGTERM')
      await ended
    }
  })
})
