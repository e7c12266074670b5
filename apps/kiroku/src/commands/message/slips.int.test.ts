import { writeFile } from 'node:fs/promises'
import { temporaryFolder, waitUntil, type TemporaryFolder } from '@kiroku/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Kiroku, readyOf, type Running } from '../../testing/Kiroku.ts'

let folder: TemporaryFolder
let kiroku: Kiroku
let engine: Running

beforeAll(async () => {
  folder = await temporaryFolder()
  kiroku = new Kiroku(folder.path)
  engine = kiroku.start(['up', '--http', '127.0.0.1:0', '--json', '--audit', 'off'])
  await writeFile(`${folder.path}/worker.js`, 'export default { async queue() {} }')
  await readyOf(engine)
  await kiroku.run(['queue', 'create', 'mail'])
})

afterAll(async () => {
  engine.child.kill('SIGTERM')
  await engine.finished
  await kiroku.killAll()
  await folder.remove()
})

const queues = async (): Promise<string[]> => {
  const { queues } = (await kiroku.run(['queue', 'list', '--json'])).json() as { queues: { name: string }[] }
  return queues.map(({ name }) => name)
}

const shown = (running: Running, text: string) =>
  waitUntil(() => running.stdout().includes(text), { timeoutMs: 30_000, what: `the terminal shows ${text}` })

describe('the wrong name of a queue', { timeout: 120_000 }, () => {
  it.each([
    [['send', 'mial', 'x']],
    [['receive', 'mial']],
    [['queue', 'show', 'mial']],
    [['tail', 'mial', '--until-end']],
    [['work', 'worker.js', '--queue', 'mial']],
  ])('is not found by %j, which suggests the one that was meant', async (args) => {
    const { exit, stderr } = await kiroku.run(args)
    expect(stderr).toContain('error UnknownQueue: there is no queue "mial". Did you mean "mail"?')
    expect(exit).toBe(3)
    expect(await queues()).toEqual(['mail'])
  })

  it.skipIf(process.platform !== 'linux')('is asked about by a worker on a terminal', async () => {
    const refused = kiroku.startOnTerminal(['work', 'worker.js', '--queue', 'mial'])
    await shown(refused, 'There is no queue "mial". Did you mean "mail"? Create "mial"? [y/N]')
    refused.child.stdin!.write('n\n')
    expect((await refused.finished).exit).toBe(3)
    expect(await queues()).toEqual(['mail'])
    const created = kiroku.startOnTerminal(['work', 'worker.js', '--queue', 'other'])
    await shown(created, 'There is no queue "other". Create "other"? [y/N]')
    created.child.stdin!.write('y\n')
    await shown(created, 'working on other')
    expect(await queues()).toContain('other')
    created.child.stdin!.write('\x03')
    expect((await created.finished).exit).toBe(0)
  })

  it('is created on request', async () => {
    const worker = kiroku.start(['work', 'worker.js', '--queue', 'third', '--create'])
    await shown(worker, 'working on third')
    worker.child.kill('SIGTERM')
    expect((await worker.finished).exit).toBe(0)
  })
})

describe('a body that begins like JSON but is not', { timeout: 120_000 }, () => {
  it('is refused as JSON', async () => {
    const { exit, stderr } = await kiroku.run([
      'send',
      'mail',
      '{bad json',
      '--content-type',
      'application/json',
    ])
    expect(exit).toBe(2)
    expect(stderr).toMatch(
      /error MalformedJson: the body is not JSON, although its type is application\/json: /,
    )
  })

  it('otherwise gets a warning and is text', async () => {
    const { exit, stderr } = await kiroku.run(['send', 'mail', '{bad json', '--json'])
    expect([exit, stderr]).toEqual([
      0,
      expect.stringMatching(/^WARNING {2}the body begins like JSON but is not/),
    ])
    const plain = await kiroku.run(['send', 'mail', '{bad json', '--content-type', 'text/plain'])
    expect([plain.exit, plain.stderr]).toEqual([0, ''])
  })
})

describe('what is out of range or missing', { timeout: 120_000 }, () => {
  it.each([
    [['queue', 'create', 'q', '--lease', '13h'], '--lease must be from 0 to 12h, not 13h'],
    [['receive', 'mail', '--lease', '13h'], '--lease must be from 0 ms to 12 h in whole ms, not 13 h'],
    [['send', 'mail', 'x', '--delay', '20d'], 'a delay must be from 0 to 14 d in whole ms, not 20 d'],
    [
      ['queue', 'update', 'mail'],
      'give at least one setting to change; `kiroku queue update --help` lists them',
    ],
  ])('is reported, in the units of %j', async (args, told) => {
    const { exit, stderr } = await kiroku.run(args)
    expect([exit, stderr]).toEqual([2, expect.stringContaining(told)])
  })

  it('and a message is sent as often as requested', async () => {
    const sent = await kiroku.run(['send', 'mail', '{"n":1}', '--count', '1200', '--json'])
    expect(sent.json()).toMatchObject({ queue: 'mail', sent: 1_200 })
  })
})
