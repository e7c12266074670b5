import { mkdir, writeFile } from 'node:fs/promises'
import { errorRegistry, type ErrorId } from '@kiroku/protocol'
import { temporaryFolder, type TemporaryFolder } from '@kiroku/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Kiroku, readyOf, type Ready, type Running } from './testing/Kiroku.ts'

let folder: TemporaryFolder
let kiroku: Kiroku
let engine: Running
let up: Ready

beforeAll(async () => {
  folder = await temporaryFolder()
  kiroku = new Kiroku(folder.path)
  engine = kiroku.start(['up', '--http', '127.0.0.1:0', '--json', '--log-format', 'json'])
  up = await readyOf(engine)
})

afterAll(async () => {
  engine.child.kill('SIGTERM')
  await engine.finished
  await kiroku.killAll()
  await folder.remove()
})

describe('bad input', () => {
  const table: [name: string, id: ErrorId, args: string[], input?: string][] = [
    ['an unknown queue', 'UnknownQueue', ['send', 'nowhere', 'x']],
    ['an unknown queue for ndjson', 'UnknownQueue', ['send', 'nowhere', '--ndjson'], '1\n'],
    ['an invalid name', 'InvalidQueueName', ['queue', 'create', 'no spaces']],
    ['a name that is too long', 'InvalidQueueName', ['queue', 'create', 'x'.repeat(81)]],
    ['a setting out of range', 'InvalidConfig', ['queue', 'create', 'q1', '--retries', '100000']],
    ['a duration without a unit', 'InvalidArgument', ['queue', 'create', 'q1', '--lease', '30']],
    ['another queue of that name', 'QueueExists', ['queue', 'create', 'taken', '--retries', '7']],
    ['a body over the limit of its queue', 'BodyTooLarge', ['send', 'small'], 'x'.repeat(20_000)],
    ['a body over every limit', 'BodyTooLarge', ['send', 'taken'], 'x'.repeat(4 * 1024 * 1024 + 1)],
    ['ndjson that is malformed', 'MalformedJson', ['send', 'taken', '--ndjson'], '{"a":1}\nnope\n'],
    ['a missing file', 'InvalidArgument', ['send', 'taken', '--file', 'nope.txt']],
    ['an unknown log', 'Unavailable', ['queue', 'list', '--log', 'nope']],
    ['an unknown flag', 'InvalidArgument', ['send', 'taken', 'x', '--dely', '3s']],
    ['an unknown command', 'InvalidArgument', ['sned', 'taken', 'x']],
    ['a missing argument', 'InvalidArgument', ['send']],
    ['a missing Worker', 'WorkerInvalid', ['work', 'nope.ts', '--queue', 'taken']],
    ['a Worker without a queue function', 'WorkerInvalid', ['work', 'not-a-worker.js', '--queue', 'taken']],
    ['NATS that cannot be reached', 'NatsUnreachable', ['queue', 'list', '--nats', 'nats://127.0.0.1:1']],
    ['an API beyond loopback without tokens', 'TokenRequired', ['up', '--http', '0.0.0.0:0']],
    ['an API on a strange address', 'InvalidConfig', ['up', '--http', 'everywhere']],
    ['malformed tokens', 'InvalidConfig', ['up', '--tokens', 'ann:boss:long-enough']],
    ['serve without NATS', 'NatsUnreachable', ['serve']],
    [
      'a program that is not nats-server',
      'NatsServerMissing',
      ['up', '--data-dir', 'other', '--nats-server', '/bin/true'],
    ],
  ]

  beforeAll(async () => {
    await kiroku.run(['queue', 'create', 'taken'])
    await kiroku.run(['queue', 'create', 'small', '--body-bytes', '1KiB'])
    await writeFile(`${folder.path}/not-a-worker.js`, 'export default { fetch() {} }')
  })

  it.each(table)('%s is %s', async (_, id, args, input) => {
    const finished = await kiroku.run([...args, '--json'], input)
    const { error } = finished.json() as { error: { id: string; message: string; help: string } }
    expect(error).toMatchObject({ id, help: errorRegistry[id].help })
    expect(finished.exit).toBe(errorRegistry[id].exit)
    expect(finished.stderr).toContain(`error ${id}: `)
    expect(finished.stderr + finished.stdout).not.toMatch(/\n\s+at |node:internal|\.ts:\d/)
  })

  it('a port in use is PortInUse', async () => {
    const finished = await kiroku.run(['up', '--http', new URL(up.api).host, '--json'])
    expect(finished.json()).toMatchObject({ error: { id: 'PortInUse' } })
    expect(finished.exit).toBe(errorRegistry.PortInUse.exit)
  })

  it('a folder without an engine is NatsUnreachable, and says how to start one', async () => {
    await mkdir(`${folder.path}/empty`)
    const finished = await new Kiroku(`${folder.path}/empty`).run(['queue', 'list'])
    expect(finished.exit).toBe(errorRegistry.NatsUnreachable.exit)
    expect(finished.stderr).toMatch(/no engine was started in this folder.*\n.*kiroku up/)
  })

  it('a malformed kiroku.jsonc is MalformedJson with its place', async () => {
    await mkdir(`${folder.path}/malformed`)
    await writeFile(`${folder.path}/malformed/kiroku.jsonc`, '{\n  "log": "a"\n  "http": 1\n}')
    const finished = await new Kiroku(`${folder.path}/malformed`).run(['queue', 'list'])
    expect(finished.exit).toBe(2)
    expect(finished.stderr).toContain('kiroku.jsonc:3:3: a comma is expected here')
  })

  it('shows the stack only with KIROKU_DEBUG', async () => {
    const finished = await new Kiroku(folder.path, { KIROKU_DEBUG: '1' }).run(['send', 'nowhere', 'x'])
    expect(finished.stderr).toMatch(/\n\s+at /)
  })
})
