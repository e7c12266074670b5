import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { connect } from '@kiroku/client-nats'
import { connect as connectNats } from '@kiroku/nats'
import { Access, clientRights, nodeRights, permissionsOf } from '@kiroku/nats-access'
import { isKirokuError } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CommandLine } from './CommandLine.ts'
import type { Attempts, Outcome } from './intruder.ts'

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

/** The user `nobody` and its group. */
const nobody = 65_534

const run = async (script: readonly string[], cwd: string, as: object = {}): Promise<string> => {
  const child = spawn(process.execPath, script, { cwd, stdio: ['ignore', 'pipe', 'pipe'], ...as })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  if (code !== 0) throw new Error(`${script.join(' ')} ended with ${String(code)}: ${err}`)
  return out
}

describe('the nats-server that `kiroku up` runs', () => {
  let cli: CommandLine
  let nats = ''

  beforeAll(async () => {
    cli = await CommandLine.open()
    // Only what the engine does itself keeps others out.
    chmodSync(cli.folder, 0o755)
    nats = (await cli.engine(['up', '--log-level', 'warn'])).nats
    const client = await connect({ servers: nats })
    await client.queues.create('mail', { erasable: 'message' })
    await client.send('mail', 'secret')
    await client.close()
  }, 120_000)

  afterAll(() => cli[Symbol.asyncDispose](), 90_000)

  it('[SEC-01] another user of the machine finds no stream, no key, no command and no file', async ({
    skip,
  }) => {
    if (process.getuid?.() !== 0) {
      if (process.env['KIROKU_REQUIRE_ALL'] === '1') throw new Error('only root can try this as another user')
      console.warn('What another user can do is NOT TRIED: only root can become one.')
      skip('only root can become another user')
    }
    const inside = readdirSync(cli.dataDir, { recursive: true, encoding: 'utf8' })
    const paths = [cli.dataDir, ...inside.map((name) => path.join(cli.dataDir, name))]
    const attempts: Attempts = { nats, paths }
    const outcome = JSON.parse(
      await run([here('intruder.ts'), JSON.stringify(attempts)], '/', { uid: nobody, gid: nobody }),
    ) as Outcome
    expect(outcome).toEqual({
      uid: nobody,
      stream: 'NatsUnauthorized',
      command: 'NatsUnauthorized',
      paths: Object.fromEntries(paths.map((each) => [each, 'EACCES'])),
    })
    // Should the folder be opened to others by mistake, each file in it is still closed.
    for (const name of readdirSync(new Access(path.join(cli.dataDir, 'nats')).folder))
      expect(statSync(path.join(cli.dataDir, 'nats', 'access', name)).mode & 0o077, name).toBe(0)
  })

  it('[SEC-01] programs of the user who started it need no password, by its address or in its folder', async () => {
    const program = `
      const { connect } = await import('${import.meta.resolve('@kiroku/client-nats')}')
      const client = await connect(process.argv[1] === undefined ? {} : { servers: process.argv[1], link: 'off' })
      console.log((await client.queues.list()).map(({ name }) => name).join())
      await client.close()`
    expect(await run(['-e', program], cli.folder)).toBe('mail\n')
    expect(await run(['-e', program, nats], '/')).toBe('mail\n')
    expect(JSON.parse(await cli.output('queue', 'list', '--json'))).toMatchObject({
      queues: [{ name: 'mail' }],
    })
  })

  it('[SEC-01] a client that was let in sends and receives, reads no log, and can be shut out again', async () => {
    await cli.output('client', 'add', 'shop')
    const key = { nkey: path.join(cli.folder, 'shop.nk'), as: 'shop' }
    expect(statSync(key.nkey).mode & 0o777).toBe(0o600)
    const enter = () => connect({ servers: nats, link: 'off', ...key })
    const client = await waitUntil(enter, { what: 'the server knows the key' })
    await client.send('mail', 'hello')
    const [message] = await client.receive('mail', { waitMs: 30_000 })
    await client.ack(message!.receipt)

    const raw = await connectNats({ servers: nats, ...key })
    await expect(raw.request('$JS.API.STREAM.NAMES', '', { timeout: 2_000 })).rejects.toThrow(/permission/i)
    await raw.close()

    await client.close()
    await cli.output('client', 'remove', 'shop')
    await waitUntil(() => enter().then((late) => late.close().then(() => false), isRefused))
  })

  it('[SEC-01] a client that acts in the name of another is on record with its own, and the other as its claim', async () => {
    const actor = { name: 'root', origin: 'cli' }
    for (const link of ['on', 'off'] as const) {
      const client = await connect({ servers: nats, link, actor })
      await (link === 'on' ? client.queues.pause('mail') : client.queues.resume('mail'))
      await client.close()
    }
    const { acts } = JSON.parse(await cli.output('acts', '--queue', 'mail', '--json')) as {
      acts: { event: string; by: unknown }[]
    }
    const done = acts.filter(({ event }) => event.startsWith('Delivery')).map(({ by }) => by)
    expect(done).toEqual(Array(2).fill({ name: 'client', origin: 'client, says it is root (cli)' }))
  })

  it('[SEC-01] a NATS cluster of one’s own gets exactly these rights from the documentation', () => {
    const page = readFileSync(here('../../docs/production.md'), 'utf8')
    for (const rights of [nodeRights, clientRights('shop')]) expect(page).toContain(permissionsOf(rights))
  })
})

const isRefused = (error: unknown): boolean => isKirokuError(error) && error.id === 'NatsUnauthorized'
