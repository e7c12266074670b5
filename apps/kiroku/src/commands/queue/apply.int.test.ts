import { writeFile } from 'node:fs/promises'
import type { QueueDescription } from '@kiroku/protocol'
import { temporaryFolder, type TemporaryFolder } from '@kiroku/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Kiroku, readyOf, type Running } from '../../testing/Kiroku.ts'

let folder: TemporaryFolder
let kiroku: Kiroku
let engine: Running

const file = (name: string, text: string): Promise<void> => writeFile(`${folder.path}/${name}`, text)
const up = async (): Promise<void> => {
  engine = kiroku.start(['up', '--http', '127.0.0.1:0', '--json', '--log-format', 'json'])
  await readyOf(engine)
}
const down = async (): Promise<void> => {
  engine.child.kill('SIGTERM')
  await engine.finished
}
const ok = async <A>(...args: string[]): Promise<A> => {
  const finished = await kiroku.run([...args, '--json'])
  expect(finished.stderr).toBe('')
  return finished.json()
}
const shown = (queue: string): Promise<QueueDescription> => ok('queue', 'show', queue)

beforeAll(async () => {
  folder = await temporaryFolder()
  kiroku = new Kiroku(folder.path)
  await file('kiroku.jsonc', '{ "queues": { "mail": { "leaseMs": "1m", "deadLetter": "dlq" } } } // mine')
  await up()
})

afterAll(async () => {
  await down()
  await kiroku.killAll()
  await folder.remove()
})

describe('the queues of kiroku.jsonc', () => {
  it('exist when the engine is up, and the event names the file', async () => {
    expect(await shown('mail')).toMatchObject({ config: { leaseMs: 60_000, deadLetter: { name: 'dlq' } } })
    expect(engine.stderr()).toMatch(/"queue created".*"source":"kiroku.jsonc"/)
  })

  it('are left alone if changed since, also by the next start', async () => {
    await ok('queue', 'update', 'mail', '--lease', '2m')
    expect(await ok('apply')).toMatchObject({
      source: 'kiroku.jsonc',
      queues: [
        { queue: 'mail', outcome: 'kept', changes: [{ setting: 'leaseMs', from: 120_000, to: 60_000 }] },
      ],
    })
    await down()
    await up()
    expect(await shown('mail')).toMatchObject({ config: { leaseMs: 120_000 } })
  })

  it('are changed when the file says something else; a dry run only shows it', async () => {
    await file(
      'kiroku.jsonc',
      '{ "queues": { "mail": { "leaseMs": "3m", "retriesMax": 0, "deadLetter": "dlq" } } }',
    )
    const human = await kiroku.run(['apply', '--dry-run'])
    expect(human.stdout).toBe('queue mail would be updated: lease 2m → 3m, retries 3 → 0\n')
    expect(await shown('mail')).toMatchObject({ config: { leaseMs: 120_000 } })
    expect(await ok('apply')).toMatchObject({ dryRun: false, queues: [{ outcome: 'updated' }] })
    expect(await ok('apply')).toMatchObject({ queues: [{ outcome: 'unchanged' }] })
    expect(await shown('mail')).toMatchObject({
      config: { leaseMs: 180_000, retriesMax: 0 },
      warnings: [expect.stringContaining('dead-lettered after 1 attempt')],
    })
    expect((await kiroku.run(['queue', 'show', 'mail'])).stdout).toMatch(
      /^WARNING {2}Messages are dead-lettered/m,
    )
  })

  it.each([
    ['{ "queues": {\n  "mail": { "leaseSeconds": 3 } } }', /kiroku.jsonc:2:13: .*"leaseSeconds"/],
    ['{ "queues": {\n  "a": { "deadLetter": "b" },\n  "b": { "deadLetter": "a" } } }', /circle: a → b → a/],
    ['{}', /kiroku.jsonc names no queues/],
  ])('that are wrong change nothing: %s', async (text, message) => {
    await file('kiroku.jsonc', text)
    const finished = await kiroku.run(['apply'])
    expect(finished.exit).toBe(2)
    expect(finished.stderr).toMatch(message)
    expect(
      (await ok<{ queues: QueueDescription[] }>('queue', 'list')).queues.map(({ name }) => name),
    ).toEqual(['dlq', 'mail'])
  })
})

it('a dead-letter queue that others name is deleted only by force', async () => {
  const refused = await kiroku.run(['queue', 'delete', 'dlq'])
  expect(refused.exit).toBe(4)
  expect(refused.stderr).toContain('queue "dlq" is the dead-letter queue of "mail"')
  expect(refused.stderr).toContain('--force')
  expect(await ok('queue', 'delete', 'dlq', '--force')).toMatchObject({ done: 'deleted' })
})

it('the queues of a wrangler file are applied under the name of its Worker', async () => {
  await file('kiroku.jsonc', '{}')
  await file('wrangler.toml', 'name = "shop"\n[[queues.consumers]]\nqueue = "orders"\nmax_retries = 7\n')
  expect(await ok('apply', 'wrangler.toml')).toMatchObject({
    source: 'worker shop',
    queues: [{ queue: 'orders', outcome: 'created' }],
  })
  expect(await shown('orders')).toMatchObject({ config: { retriesMax: 7 } })
})

it('a wrong file keeps the engine from starting, before anything runs', async () => {
  await using other = await temporaryFolder()
  await writeFile(`${other.path}/queues.jsonc`, '{ "queues": { "mail": { "leaseMs": -1 } } }')
  const finished = await new Kiroku(other.path).run(['up', '--config', 'queues.jsonc'])
  expect(finished.exit).toBe(2)
  expect(finished.stderr).toContain('queues.jsonc:1:25: queues.mail: leaseMs must be from 0 ms to 12 h')
  expect(finished.stdout).toBe('')
})
