import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, symlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder, waitUntil } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { createSqsWorld } from './SqsWorld.ts'

const cache = process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache')
const packages = path.join(cache, 'kiroku/clients/node_modules')

/** Whether the clients are here; `.ci/install-clients` brings them. */
const areThere = ['sqs-consumer', 'sqs-producer'].every((name) => existsSync(path.join(packages, name)))
const isRequired = process.env['KIROKU_REQUIRE_ALL'] === '1'
if (!areThere && !isRequired)
  console.warn(
    'The specs of sqs-consumer and sqs-producer are SKIPPED: they are not installed; run .ci/install-clients.',
  )

it.skipIf(!areThere && !isRequired)(
  'sqs-producer sends in batches, and sqs-consumer handles everything, also what fails at first',
  { timeout: 60_000 },
  async () => {
    await using world = await createSqsWorld()
    await using folder = await temporaryFolder()
    symlinkSync(packages, path.join(folder.path, 'node_modules'))
    const program = path.join(folder.path, 'program.mjs')
    copyFileSync(path.join(import.meta.dirname, 'npmProgram.txt'), program)
    const { stdout } = await promisify(execFile)(process.execPath, [program, world.url])
    expect(JSON.parse(stdout)).toEqual({
      size: 25,
      handled: 25,
      failures: [expect.stringContaining('not yet')],
      colours: ['red'],
    })
    await waitUntil(async () => (await world.client.queues.describe('jobs')).counts.committed === 25)
    expect(world.defects).toEqual([])
  },
)
