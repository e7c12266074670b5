import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withNats } from '@kiroku/testkit'
import { beforeEach, describe, expect, it } from 'vitest'
import { readyOf } from '../../testing/Kiroku.ts'
import { withKiroku } from '../../testing/withKiroku.ts'

const nats = withNats()
const kiroku = withKiroku()
let logs = 0
let log: string

const args = (...words: string[]) => [...words, '--nats', nats().url, '--log', log, '--json']

beforeEach(async () => {
  log = `work${++logs}`
  await readyOf(kiroku().start(args('serve', '--partitions', '1', '--audit', 'off')))
  await kiroku().run(args('queue', 'create', 'mail', '--retries', '5'))
})

describe('a Worker that breaks its process', () => {
  it.each([
    [
      'throws what cannot be read',
      'throw { get message() { throw 1 }, toString() { throw 2 } }',
      /cannot be read/,
    ],
    [
      'leaves a rejected promise',
      "Promise.reject(new Error('left behind')); await new Promise(() => {})",
      /left behind/,
    ],
    [
      'throws outside its handler',
      "setImmediate(() => { throw new Error('far away') }); await new Promise(() => {})",
      /far away/,
    ],
    ['ends the process with 0', 'process.exit(0)', /process\.exit\(0\)/],
    [
      'ends it and catches what that throws',
      'try { process.exit(0) } catch {} await new Promise(() => {})',
      /process\.exit\(0\)/,
    ],
  ])(
    '%s: the batch loses an attempt, with the cause on record',
    { timeout: 60_000 },
    async (_, does, cause) => {
      const module = join(kiroku().folder, 'worker.mjs')
      await writeFile(module, `export default { async queue(batch) { ${does} } }\n`)
      const { messageId } = (await kiroku().run(args('send', 'mail', 'hello'))).json() as {
        messageId: string
      }
      const work = kiroku().start(args('work', module, '--queue', 'mail', '--retry-delay', '1h'))
      const trace = async () => (await kiroku().run(args('trace', messageId))).stdout
      await expect.poll(trace, { timeout: 30_000, interval: 200 }).toMatch(/RetryScheduled/)
      expect(await trace()).toMatch(cause)
      // An error of the handler is no end of the Worker; the others are, with a code that supervisors see.
      if (!does.startsWith('throw')) {
        const { exit, stderr } = await work.finished
        expect(exit).toBe(1)
        expect(stderr).toMatch(/WorkerBroken/)
        expect(stderr).toMatch(cause)
      }
    },
  )

  it('at its beginning ends with a code that supervisors see', { timeout: 60_000 }, async () => {
    const module = join(kiroku().folder, 'worker.mjs')
    await writeFile(module, 'process.exit(0)\nexport default { async queue() {} }\n')
    const { exit } = await kiroku().run(args('work', module, '--queue', 'mail'))
    expect(exit).toBeGreaterThan(0)
  })
})
