import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { waitUntil } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { CommandLine, launcher } from './CommandLine.ts'

/** Clears a screen, retitles a terminal, overwrites its line, and reverses what follows. */
const hostile = '\u001b[2J\u001b]0;owned\u0007 \u009b31m x\ry \u202e'
/** Its beginning as it is shown: tables shorten what follows, and put a line's end in one line. */
const spelled = String.raw`\x1b[2J\x1b]0;owned`
// eslint-disable-next-line no-control-regex
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/
/** Log lines have it as JSON, and groups of errors without its numbers. */
const shownError = /boom \\(x|u00)1b\[(2|<n>)J/
const thrown = JSON.stringify(`boom ${hostile}`)

it(
  '[SEC-06] what producers and handlers wrote is spelled out by every command, in lines and in JSON; --raw leaves it as it is',
  { timeout: 120_000 },
  async () => {
    await using cli = await CommandLine.open()
    const engine = await cli.engine(['up'])
    const done = async (...args: string[]) => {
      const { exit, stdout, stderr } = await cli.run(...args)
      expect(exit, stderr).toBe(0)
      return stdout + stderr
    }
    await done('queue', 'create', 'mail', '--retries', '0', '--dead-letter', 'mail-dlq')
    await done('send', 'mail', hostile, '--attributes', `name=${hostile}`)
    await writeFile(
      path.join(cli.folder, 'fails.js'),
      `export default { queue() { throw new Error(${thrown}) } }`,
    )
    const worker = cli.start([launcher, 'work', 'fails.js', '--queue', 'mail'])
    const letters = async () =>
      (
        JSON.parse((await cli.run('peek', 'mail-dlq', '--json')).stdout) as {
          messages: { messageId: string; body: string }[]
        }
      ).messages
    await waitUntil(async () => (await letters()).length === 1, { timeoutMs: 30_000 })
    const [{ messageId: id, body } = { messageId: '', body: '' }] = await letters()
    expect(body).toBe(hostile)
    await waitUntil(async () => (await done('search', 'queue:mail')).includes('boom'), { timeoutMs: 30_000 })

    const outputs = new Map([['work', worker.stderr()]])
    for (const command of [
      ['trace', id],
      ['dlq', 'list', 'mail-dlq'],
      ['dlq', 'explain', id],
      ['peek', 'mail-dlq'],
      ['search', 'queue:mail'],
      ['tail', 'mail', '--from', '1', '--until-end'],
      ['receive', 'mail-dlq', '--lease', '1ms'],
    ])
      for (const how of [[], ['--json']]) {
        const words = [...command, ...how]
        outputs.set(words.join(' '), await done(...words))
      }
    for (const [command, output] of outputs) expect(output, command).not.toMatch(obeyed)
    for (const shows of [
      'work',
      `trace ${id}`,
      'dlq list mail-dlq',
      `dlq explain ${id}`,
      'search queue:mail',
    ])
      expect(outputs.get(shows), shows).toMatch(shownError)
    for (const shows of ['peek mail-dlq', 'receive mail-dlq --lease 1ms'])
      expect(outputs.get(shows), shows).toContain(spelled)
    expect(await done('peek', 'mail-dlq', '--raw')).toContain(hostile)
    expect(await done('trace', id, '--raw')).toContain('boom \u001b[2J')
    expect(engine.stderr()).not.toMatch(obeyed)
  },
)

it(
  '[SEC-06] errors and log lines spell out what they quote, and so does a client that reports a handler’s error',
  { timeout: 120_000 },
  async () => {
    await using cli = await CommandLine.open()
    await cli.engine(['up'])
    const { stdout, stderr, exit } = await cli.run('queue', 'show', hostile, '--json')
    expect(exit).not.toBe(0)
    expect(stderr).toContain(String.raw`\x1b[2J`)
    expect(stdout + stderr).not.toMatch(obeyed)

    const program = `
      const { connect } = await import('${import.meta.resolve('@kiroku/client-nats')}')
      const client = await connect()
      await client.queues.create('boom', { retriesMax: 0 })
      client.consumeEach('boom', () => { throw new Error(${thrown}, { cause: new Error(${thrown}) }) })
      await client.send('boom', 'x')`
    const consumer = cli.start(['--input-type=module', '-e', program])
    await waitUntil(() => /\[cause\][^]*\n\}\n/.test(consumer.stderr()), { timeoutMs: 30_000 })
    expect(consumer.stderr().split(`boom ${spelled}`)).toHaveLength(3)
    expect(consumer.stderr()).not.toMatch(obeyed)
  },
)
