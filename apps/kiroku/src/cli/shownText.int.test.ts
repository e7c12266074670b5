import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { temporaryFolder, waitUntil, type TemporaryFolder } from '@kiroku/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Kiroku, readyOf, type Running } from '../testing/Kiroku.ts'

let folder: TemporaryFolder
let kiroku: Kiroku
let engine: Running
beforeAll(async () => {
  folder = await temporaryFolder()
  kiroku = new Kiroku(folder.path)
  engine = kiroku.start(['up', '--http', '127.0.0.1:0', '--json'])
  await readyOf(engine)
})
afterAll(async () => {
  engine.child.kill('SIGTERM')
  await engine.finished
  await kiroku.killAll()
  await folder.remove()
})

/** Clears a screen, retitles a terminal, and reverses what follows. */
const hostile = '\u001b[2J\u001b]0;owned\u0007 \u009b31m \u202e'
const spelled = String.raw`\x1b[2J\x1b]0;owned\x07 \x9b31m \u202e`
// eslint-disable-next-line no-control-regex
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/

it(
  'what producers and handlers wrote is shown on a terminal, not obeyed, by whatever command',
  { timeout: 120_000 },
  async () => {
    const run = async (...args: string[]) => {
      const done = await kiroku.run(args)
      expect(done.exit, done.stderr).toBe(0)
      return done
    }
    await run('queue', 'create', 'mail', '--retries', '0', '--dead-letter', 'mail-dlq')
    await run('send', 'mail', hostile, '--attributes', `name=${hostile}`, '--tag', 'paid')
    const text = JSON.stringify(`boom ${hostile}`)
    await writeFile(
      path.join(folder.path, 'fails.js'),
      `export default { queue() { throw new Error(${text}) } }`,
    )
    const worker = kiroku.start(['work', 'fails.js', '--queue', 'mail'])
    const letters = async () => {
      const { stdout } = await kiroku.run(['peek', 'mail-dlq', '--json'])
      expect(stdout).not.toMatch(obeyed)
      return (JSON.parse(stdout.trim()) as { messages: { messageId: string; body: string }[] }).messages
    }
    await waitUntil(async () => (await letters()).length === 1, { timeoutMs: 30_000 })
    worker.child.kill('SIGTERM')
    const outputs = new Map([['work', (await worker.finished).stderr]])
    const [{ messageId: id, body } = { messageId: '', body: '' }] = await letters()
    expect(body).toBe(hostile)
    for (const command of [
      ['peek', 'mail-dlq'],
      ['dlq', 'list', 'mail-dlq'],
      ['dlq', 'explain', id],
      ['trace', id],
      ['tail', 'mail', '--from', '1', '--until-end'],
      ['replay', 'mail', '--at', 'now'],
      ['receive', 'mail-dlq', '--lease', '1ms'],
    ]) {
      const { stdout, stderr } = await kiroku.run(command)
      outputs.set(command.join(' '), stdout + stderr)
    }
    await waitUntil(async () => {
      const { stdout } = await kiroku.run(['search', 'queue:mail'])
      outputs.set('search', stdout)
      return stdout.includes('boom')
    })
    for (const [command, output] of outputs) expect(output, command).not.toMatch(obeyed)
    expect(outputs.get('peek mail-dlq')).toContain(spelled)
    expect(outputs.get(`trace ${id}`)).toContain(`boom ${spelled}`)
    const raw = await run('peek', 'mail-dlq', '--raw')
    expect(raw.stdout).toContain(hostile)
  },
)
