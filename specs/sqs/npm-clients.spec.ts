import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder, waitUntil } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { clientsFolder } from './sqsClients.ts'
import { createSqsWorld } from './SqsWorld.ts'
import { startOf } from './startOf.ts'

const packages = path.join(clientsFolder, 'node_modules')

/** Whether the clients are here; `.ci/install-clients` brings them. */
const areThere = ['sqs-consumer', 'sqs-producer'].every((name) => existsSync(path.join(packages, name)))
const isRequired = process.env['KIROKU_REQUIRE_ALL'] === '1'
if (!areThere && !isRequired)
  console.warn(
    'The specs of sqs-consumer and sqs-producer are SKIPPED: they are not installed; run .ci/install-clients.',
  )

it.skipIf(!areThere && !isRequired)(
  '[SQS-13] sqs-producer sends in batches, and sqs-consumer handles everything, also what fails at first and what the AWS SDK sent',
  { timeout: 60_000 },
  async () => {
    await using world = await createSqsWorld()
    await using folder = await temporaryFolder()
    symlinkSync(packages, path.join(folder.path, 'node_modules'))
    const env = {
      PATH: process.env['PATH'],
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'any',
      AWS_SECRET_ACCESS_KEY: 'any',
    }
    const write = (name: string, text: string): string => {
      const file = path.join(folder.path, name)
      writeFileSync(file, text)
      return file
    }
    const sender = write('sender.mjs', startOf('@aws-sdk/client-sqs', world.url))
    await promisify(execFile)(process.execPath, [sender], { env })

    const rest = readFileSync(path.join(import.meta.dirname, 'npmProgram.txt'), 'utf8')
    const program = write('program.mjs', `${startOf('sqs-consumer and sqs-producer', world.url)}\n${rest}`)
    const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(child, 'exit')
    let said = ''
    child.stdout.on('data', (piece: Buffer) => (said += piece.toString()))
    try {
      // One of the SDK and one of its own.
      await waitUntil(() => /^hello\n(.*\n)*hello$/m.test(said) && said.includes('"handled"'), {
        timeoutMs: 60_000,
      })
      await waitUntil(async () => (await world.client.queues.describe('jobs')).counts.committed === 25)
    } finally {
      child.kill('SIGTERM')
      await ended
    }
    expect(JSON.parse(/^\{.*$/m.exec(said)![0])).toEqual({
      size: 25,
      handled: 25,
      failures: [expect.stringContaining('not yet')],
      colours: ['red'],
    })
    expect(world.defects).toEqual([])
  },
)
