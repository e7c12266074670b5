import { writeFile } from 'node:fs/promises'
import { freePort, startNatsCluster, startTestNats, temporaryFolder, waitUntil } from '@kiroku/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Kiroku, readyOf } from '../../testing/Kiroku.ts'

/** A folder with commands that end at the latest with the test. */
const folderOf = async (env: Readonly<Record<string, string>> = {}) => {
  const folder = await temporaryFolder()
  onTestFinished(() => folder.remove())
  const kiroku = new Kiroku(folder.path, env)
  onTestFinished(() => kiroku.killAll())
  return { kiroku, path: folder.path }
}

const waitingLines = (stderr: string): number => stderr.match(/ WARN {2}waiting for NATS /g)?.length ?? 0

describe('a node that is started before NATS', { timeout: 120_000 }, () => {
  it('waits for it, says so once, is alive and not ready, and then serves', async () => {
    const { kiroku, path } = await folderOf()
    const [port, http] = [await freePort(), await freePort()]
    const nats = `nats://127.0.0.1:${port}`
    const engine = kiroku.start(['serve', '--nats', nats, '--http', `127.0.0.1:${http}`, '--json'])
    const api = `http://127.0.0.1:${http}`
    const reason = async () => {
      const answer = await fetch(`${api}/health/ready`)
      return answer.status === 503 ? ((await answer.json()) as { reason: string }).reason : undefined
    }
    await waitUntil(async () => (await reason())?.includes(nats), { timeoutMs: 20_000 })
    expect((await fetch(`${api}/health/live`)).status).toBe(200)
    const server = await startTestNats({ port, dataDir: `${path}/nats` })
    onTestFinished(() => server.stop())
    await readyOf(engine)
    expect(waitingLines(engine.stderr())).toBe(1)
    expect(engine.stderr()).toMatch(
      /waiting for NATS reason="NatsUnreachable: cannot connect to .*: connection refused"/,
    )
    await waitUntil(async () => (await reason()) === undefined, { timeoutMs: 20_000 })
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('%s ends it cleanly, also while NATS is frozen', async (signal) => {
    const { kiroku } = await folderOf()
    const server = await startTestNats()
    onTestFinished(() => server.stop())
    await server.kill('SIGSTOP')
    const engine = kiroku.start(['serve', '--nats', `nats://127.0.0.1:1,${server.url}`])
    await waitUntil(() => waitingLines(engine.stderr()) === 1, { timeoutMs: 30_000 })
    engine.child.kill(signal)
    const { exit, stdout } = await engine.finished
    expect([exit, stdout]).toEqual([0, ''])
  })

  it('waits for the quorum of a cluster', async () => {
    const cluster = await startNatsCluster()
    onTestFinished(() => cluster.stop())
    const [first, second, third] = cluster.servers
    await Promise.all([second!.kill(), third!.kill()])
    const { kiroku } = await folderOf()
    const engine = kiroku.start(['serve', '--nats', first!.url, '--replicas', '3', '--json'])
    await waitUntil(() => /waiting for NATS reason="NoQuorum: /.test(engine.stderr()), { timeoutMs: 30_000 })
    await Promise.all([second!.restart(), third!.restart()])
    await readyOf(engine)
  })
})

describe('a node does not wait for what does not come by itself', { timeout: 120_000 }, () => {
  const refusal = async (config: string, args: readonly string[] = []) => {
    const server = await startTestNats({ extraConfig: config })
    onTestFinished(() => server.stop())
    const { kiroku } = await folderOf({ KIROKU_NATS_USER: 'a', KIROKU_NATS_PASSWORD: 'b' })
    const { exit, stderr } = await kiroku.run(['serve', '--nats', server.url, ...args])
    expect(stderr).not.toMatch(/Start NATS|waiting for NATS/)
    return [exit, /^error (\w+): /m.exec(stderr)?.[1]]
  }

  it('a wrong password', async () => {
    expect(await refusal('authorization { user: a, password: other }')).toEqual([8, 'NatsUnauthorized'])
  })

  it('a missing right', async () => {
    const user = '{ user: a, password: b, permissions: { publish: "_INBOX.>" } }'
    expect(await refusal(`authorization { users: [${user}] }`)).toEqual([8, 'NatsForbidden'])
  })

  it('a certificate where NATS has none', async () => {
    const { path } = await folderOf()
    await writeFile(`${path}/ca.pem`, '')
    expect(await refusal('', ['--nats-tls-ca', `${path}/ca.pem`])).toEqual([8, 'NatsTlsFailed'])
  })

  it('more replicas than there are servers', async () => {
    expect(await refusal('', ['--replicas', '3'])).toEqual([2, 'InvalidArgument'])
  })

  it('an account without JetStream', async () => {
    const accounts = 'accounts { BARE { users: [{ user: a, password: b }] } }'
    expect(await refusal(accounts)).toEqual([5, 'JetStreamDisabled'])
  })
})

it(
  '[CARD-07] a wrong log, account, password, right and certificate are five errors, and none of them is that NATS is away',
  { timeout: 120_000 },
  async () => {
    const users = [
      '{ user: main, password: b }',
      '{ user: weak, password: b, permissions: { publish: "_INBOX.>" } }',
    ]
    const server = await startTestNats({
      extraConfig: `accounts { MAIN { jetstream: enabled, users: [${users.join(', ')}] }, BARE { users: [{ user: bare, password: b }] } }`,
    })
    onTestFinished(() => server.stop())
    const { kiroku, path } = await folderOf({ KIROKU_NATS_PASSWORD: 'b' })
    await writeFile(`${path}/ca.pem`, '')
    const refusal = async (user: string, ...flags: string[]) => {
      const status = await kiroku.run([
        'cluster',
        'status',
        '--nats',
        server.url,
        '--nats-user',
        user,
        ...flags,
      ])
      expect(status.stdout + status.stderr).not.toContain('Start NATS')
      return [status.exit, /^(?:error|WARNING) +(\w+): /m.exec(status.stdout + status.stderr)?.[1]]
    }
    expect(await refusal('main', '--log', 'nope')).toEqual([5, 'Unavailable'])
    expect(await refusal('bare')).toEqual([5, 'JetStreamDisabled'])
    expect(await refusal('nobody')).toEqual([8, 'NatsUnauthorized'])
    expect(await refusal('weak')).toEqual([8, 'NatsForbidden'])
    expect(await refusal('main', '--nats-tls-ca', `${path}/ca.pem`)).toEqual([8, 'NatsTlsFailed'])
  },
)
