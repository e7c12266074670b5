import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { waitUntil } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { readyOf } from '../testing/Kiroku.ts'
import { withKiroku } from '../testing/withKiroku.ts'

const kiroku = withKiroku({ KIROKU_TOKENS: 'root:admin:the-token-of-root' })

const make = async (...args: string[]) => {
  const made = await kiroku().run(['token', 'new', ...args, '--json'])
  expect(made.exit, made.stderr).toBe(0)
  return made.json() as { token: string; line: string }
}

it(
  'tokens are read again when their file changes, refusals are in the log and in metrics, and no child inherits secrets',
  { timeout: 120_000 },
  async () => {
    const file = path.join(kiroku().folder, 'tokens')
    const [first, second] = [await make('ann', 'admin'), await make('ann', 'admin', '--until', '2100-01-01')]
    expect(first.line).not.toContain(first.token)
    await writeFile(file, first.line)
    const engine = kiroku().start(['up', '--http', '127.0.0.1:0', '--json', '--tokens-file', file])
    const { api } = await readyOf(engine)
    const ask = (token: string, url = '/v1/cluster') =>
      fetch(`${api}${url}`, { headers: { authorization: `Bearer ${token}` } })
    expect((await ask(first.token)).status).toBe(200)
    expect((await ask('the-token-of-root')).status).toBe(200)

    expect((await ask('guessed')).status).toBe(401)
    await waitUntil(() => engine.stderr().includes('request refused'))
    expect(engine.stderr()).toMatch(
      /WARN {2}request refused from="http .*127\.0\.0\.1" error=Unauthorized why="the token is not known" count=1/,
    )
    expect(engine.stderr()).not.toContain('guessed')
    const metrics = await (await ask(first.token, '/metrics')).text()
    expect(metrics).toContain('kiroku_http_refused_total{error_type="Unauthorized"} 1\n')

    await writeFile(file, second.line)
    await waitUntil(async () => (await ask(second.token)).status === 200)
    expect((await ask(first.token)).status).toBe(401)
    await writeFile(file, `${second.line} for=ever`)
    await waitUntil(() => engine.stderr().includes('tokens not read again'))
    expect((await ask(second.token)).status).toBe(200)

    const pid = await waitUntil(
      async () => ((await (await ask(second.token)).json()) as { auditor?: { pid: number } }).auditor?.pid,
      { timeoutMs: 30_000 },
    )
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
    expect(environment).toContain('KIROKU_CONSOLE=')
    expect(environment).not.toContain('the-token-of-root')
  },
)

it('a token that an engine would refuse is not made', { timeout: 60_000 }, async () => {
  const { stderr, exit } = await kiroku().run(['token', 'new', 'ann', 'owner'])
  expect(exit).toBe(2)
  expect(stderr).toContain('token "ann": the role must be viewer, operator or admin')
})
