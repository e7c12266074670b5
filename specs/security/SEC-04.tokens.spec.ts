import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { freePort, startTestNats, waitUntil } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { CommandLine } from './CommandLine.ts'

const timeout = 120_000

const make = async (cli: CommandLine, ...args: string[]) => {
  const made = await cli.output('token', 'new', ...args, '--json')
  return JSON.parse(made) as { token: string; line: string }
}

/** An engine whose tokens are in a file, and requests to it. */
const withTokens = async (cli: CommandLine, lines: readonly string[], env: NodeJS.ProcessEnv = {}) => {
  const file = path.join(cli.folder, 'tokens')
  await writeFile(file, lines.join('\n'))
  const engine = await cli.engine(['up', '--tokens-file', file], env)
  const ask = (token: string, url = '/v1/cluster', init: RequestInit = {}) =>
    fetch(engine.api + url, {
      ...init,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    })
  return { file, engine, ask }
}

it(
  '[SEC-04] tokens are kept as digests, end on their day, and replace each other in their file without a restart',
  { timeout },
  async () => {
    await using cli = await CommandLine.open()
    const old = await make(cli, 'ann', 'admin')
    const next = await make(cli, 'ann', 'admin', '--until', '2100-01-01')
    const ended = await make(cli, 'bob', 'viewer', '--until', '2020-01-01')
    for (const { token, line } of [old, next, ended]) {
      expect(token.length).toBeGreaterThanOrEqual(16)
      expect(line).toMatch(/:sha256:[0-9a-f]{64}/)
      expect(line).not.toContain(token)
    }
    const { file, engine, ask } = await withTokens(cli, [old.line, next.line, ended.line])
    for (const { token } of [old, next]) expect((await ask(token)).status).toBe(200)
    const late = await ask(ended.token)
    expect([late.status, await late.json()]).toEqual([
      401,
      expect.objectContaining({ message: 'the token of "bob" ended at 2020-01-01T00:00:00.000Z' }),
    ])
    // What the file holds opens nothing.
    expect((await ask(/sha256:\S+/.exec(next.line)![0])).status).toBe(401)

    await writeFile(file, next.line)
    await waitUntil(async () => (await ask(old.token)).status === 401)
    expect((await ask(next.token)).status).toBe(200)

    await writeFile(file, `${next.line}\neve:admin:too-short`)
    await waitUntil(() => engine.stderr().includes('tokens not read again'))
    expect(engine.stderr()).toContain('must have at least 16 characters')
    expect(engine.stderr()).not.toContain('too-short')
    expect((await ask('too-short')).status).toBe(401)
    expect((await ask(next.token)).status).toBe(200)
  },
)

it(
  '[SEC-04] a caller that is refused is logged and counted with its origin, and its token is shown to nobody',
  { timeout },
  async () => {
    await using cli = await CommandLine.open()
    const tokens = [
      'vic:viewer:the-token-of-vic',
      'olga:operator:the-token-of-olga',
      'ann:admin:the-token-of-ann',
    ]
    const { engine, ask } = await withTokens(cli, tokens)
    const denied = [
      await ask('the-token-of-vic', '/v1/queues', { method: 'POST', body: '{"name":"mail"}' }),
      await ask('the-token-of-olga', '/v1/queues', { method: 'POST', body: '{"name":"mail"}' }),
      await ask('a-guessed-token'),
    ]
    expect(denied.map(({ status }) => status)).toEqual([403, 403, 401])
    const answers = await Promise.all(denied.map((response) => response.text()))
    // The log has at most a line in ten seconds for each address: the later refusals are in the counter at once.
    await waitUntil(() => engine.stderr().includes('request refused'))
    expect(engine.stderr()).toMatch(
      /WARN {2}request refused from="http .*127\.0\.0\.1" error=Forbidden why=.*needs admin" count=1/,
    )
    const metrics = await (await ask('the-token-of-ann', '/metrics')).text()
    expect(metrics).toContain('kiroku_http_refused_total{error_type="Unauthorized"} 1\n')
    expect(metrics).toContain('kiroku_http_refused_total{error_type="Forbidden"} 2\n')
    expect(engine.stderr() + answers.join('\n')).not.toMatch(/the-token-of|a-guessed-token/)
  },
)

it(
  '[SEC-04] an address that guesses tokens waits for its answers, while a caller with a token does not',
  { timeout },
  async () => {
    await using cli = await CommandLine.open()
    const { ask } = await withTokens(cli, ['ann:admin:the-token-of-ann'])
    const leaving = new AbortController()
    const statuses: number[] = []
    const guesses = Array.from({ length: 30 }, (_, n) =>
      ask(`a-guessed-token-${n}`, '/v1/cluster', { signal: leaving.signal }).then(
        ({ status }) => statuses.push(status),
        () => {},
      ),
    )
    await waitUntil(() => statuses.length >= 10)
    for (let n = 0; n < 20; n++) expect((await ask('the-token-of-ann')).status).toBe(200)
    expect(statuses.length).toBeLessThan(guesses.length - 5)
    expect(new Set(statuses)).toEqual(new Set([401]))
    leaving.abort()
    await Promise.all(guesses)
  },
)

it.runIf(process.platform === 'linux')(
  '[SEC-04] no process that an engine starts has its secrets in the environment',
  { timeout },
  async () => {
    await using cli = await CommandLine.open()
    const mark = `KIROKU_SPEC=${path.basename(cli.folder)}`
    const engine = await cli.engine(['up'], {
      KIROKU_SPEC: path.basename(cli.folder),
      KIROKU_TOKENS: 'ann:admin:a-secret-of-the-environment',
      KIROKU_NATS_PASSWORD: 'a-secret-of-the-environment',
      KIROKU_NATS_TOKEN: 'a-secret-of-the-environment',
    })
    const ask = async (url: string) => {
      const headers = { authorization: 'Bearer a-secret-of-the-environment' }
      return (await (await fetch(engine.api + url, { headers })).json()) as { auditor?: { pid: number } }
    }
    const auditor = await waitUntil(async () => (await ask('/v1/cluster')).auditor?.pid, {
      timeoutMs: 30_000,
    })
    const own = [engine.pid, engine.child.pid].map(String)
    const children = new Map(environments(mark).filter(([pid]) => !own.includes(pid)))
    expect([...children.keys()]).toContain(String(auditor))
    expect(children.size).toBeGreaterThanOrEqual(2)
    for (const [pid, environment] of children) expect(environment, pid).not.toContain('a-secret-of')
  },
)

/** The processes whose environment has a line, with all of it. */
const environments = (line: string): [pid: string, environment: string][] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid): [string, string][] => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
        return environment.split('\0').includes(line) ? [[pid, environment]] : []
      } catch {
        // Gone meanwhile, or of another user.
        return []
      }
    })

it(
  '[SEC-04] the password of a NATS URL is in no error, no log line, no status and no answer',
  { timeout },
  async () => {
    await using world = new AsyncDisposableStack()
    const [open, closed] = await Promise.all([
      startTestNats(),
      startTestNats({ extraConfig: 'authorization { user: ann, password: other }' }),
    ])
    world.defer(() => open.stop())
    world.defer(() => closed.stop())
    const cli = world.use(await CommandLine.open())
    const secretly = (url: string) => url.replace('nats://', 'nats://ann:pass-of-ann@')
    const nats = secretly(open.url)

    const said: string[] = []
    for (const [url, id] of [
      [secretly(`nats://127.0.0.1:${await freePort()}`), 'NatsUnreachable'],
      [secretly(closed.url), 'NatsUnauthorized'],
      [`${nats}:x`, 'InvalidArgument'],
    ] as const) {
      const { stdout, stderr } = await cli.run('queue', 'list', '--json', '--nats', url)
      expect(stderr).toContain(`error ${id}: cannot connect to nats://127.0.0.1:`)
      said.push(stdout, stderr)
    }

    const engine = await cli.engine(['serve', '--nats', nats, '--log-level', 'debug'])
    expect(engine.nats).toBe(open.url)
    for (const command of [['status'], ['doctor'], ['cluster', 'status'], ['queue', 'list']]) {
      const { stdout, stderr } = await cli.run(...command, '--nats', nats)
      expect(stdout, stderr).not.toBe('')
      said.push(stdout, stderr)
    }
    said.push(await (await fetch(`${engine.api}/v1/cluster`)).text())
    await open.stop()
    await waitUntil(() => /WARN|ERROR/.test(engine.stderr()))
    expect([...said, engine.stdout(), engine.stderr()].join('\n')).not.toContain('pass-of-ann')
  },
)
