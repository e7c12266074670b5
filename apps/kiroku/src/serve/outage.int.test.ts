import { startNatsCluster, startTestNats, temporaryFolder, waitUntil } from '@kiroku/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Kiroku, readyOf } from '../testing/Kiroku.ts'

/** A node on these servers, until the test ends. */
const serveOn = async (urls: readonly string[], ...more: string[]) => {
  const folder = await temporaryFolder()
  onTestFinished(() => folder.remove())
  const kiroku = new Kiroku(folder.path)
  onTestFinished(() => kiroku.killAll())
  const flags = ['--partitions', '2', '--http', '127.0.0.1:0', '--audit', 'off', '--json']
  const engine = kiroku.start(['serve', '--nats', urls.join(','), ...flags, ...more])
  const { api } = await readyOf(engine)
  return { kiroku, api }
}

/** What an address answers, and how long that took. */
const ask = async (url: string) => {
  const startMs = performance.now()
  const response = await fetch(url)
  const text = await response.text()
  return { status: response.status, text, ms: performance.now() - startMs }
}

/** Waits until the node says that it is not ready; what it says then. */
const notReady = async (api: string): Promise<string> => {
  const answer = await waitUntil(
    async () => {
      const asked = await ask(`${api}/health/ready`)
      return asked.status === 503 && asked
    },
    { timeoutMs: 20_000, what: 'the node is not ready' },
  )
  expect(answer.ms).toBeLessThan(2_000)
  return (JSON.parse(answer.text) as { reason: string }).reason
}

/** Commands and addresses that tell of an outage; none of them hangs. */
const lookAround = async ({ kiroku, api, nats }: { kiroku: Kiroku; api: string; nats: string }) => {
  const took: Record<string, number> = {}
  const timed = async <A>(what: string, run: Promise<A>): Promise<A> => {
    const startMs = performance.now()
    const done = await run
    took[what] = Math.round(performance.now() - startMs)
    return done
  }
  const command = (...words: string[]) => timed(words.join(' '), kiroku.run([...words, '--nats', nats]))
  const status = await command('cluster', 'status')
  const doctor = await command('doctor')
  const overview = await command('status')
  const cluster = await timed('/v1/cluster', ask(`${api}/v1/cluster`))
  const queues = await timed('/v1/queues', ask(`${api}/v1/queues`))
  for (const [what, ms] of Object.entries(took)) expect(ms, what).toBeLessThan(10_000)
  return { commands: [status, doctor, overview], cluster, queues }
}

const readyAgain = (api: string) =>
  waitUntil(async () => (await ask(`${api}/health/ready`)).status === 200, {
    timeoutMs: 60_000,
    what: 'the node is ready again',
  })

describe('a node whose NATS is frozen', { timeout: 120_000 }, () => {
  it('is alive and not ready, says why, and is ready again once NATS goes on', async () => {
    const server = await startTestNats()
    onTestFinished(() => server.stop())
    const { kiroku, api } = await serveOn([server.url])
    expect(await ask(`${api}/health/ready`)).toMatchObject({ status: 200, text: '{"status":"ready"}' })
    await server.kill('SIGSTOP')
    expect(await notReady(api)).toMatch(/^NATS did not answer within \d+ ms$|^no connection to NATS$/)
    expect(await ask(`${api}/health/live`)).toMatchObject({ status: 200 })
    const metrics = await ask(`${api}/metrics`)
    expect(metrics.status).toBe(200)
    expect(metrics.text).toMatch(/^kiroku_partition_epoch\{partition="1",node=".*"\} 1$/m)
    expect(metrics.ms).toBeLessThan(1_000)
    const { commands, cluster, queues } = await lookAround({ kiroku, api, nats: server.url })
    for (const { exit, stdout, stderr } of commands) {
      expect(exit).toBe(5)
      expect(stdout + stderr).toContain('NatsUnreachable: ')
    }
    for (const { status, text } of [cluster, queues]) {
      expect(status).toBe(503)
      expect(JSON.parse(text)).toMatchObject({ id: 'NatsUnreachable', retryable: true })
    }
    await server.kill('SIGCONT')
    await readyAgain(api)
  })
})

describe('a node whose NATS lost its quorum', { timeout: 180_000 }, () => {
  it('is not ready, names the quorum, and is ready again once the servers are back', async () => {
    const cluster = await startNatsCluster()
    onTestFinished(() => cluster.stop())
    const { kiroku, api } = await serveOn(cluster.urls, '--replicas', '3')
    await Promise.all([cluster.servers[1]!.kill(), cluster.servers[2]!.kill()])
    // A leader that is left alone takes seconds to notice; what is said until then must not take longer for that.
    await lookAround({ kiroku, api, nats: cluster.urls[0]! })
    await waitUntil(async () => /quorum|no leader|unavailable/.test(await notReady(api)), {
      timeoutMs: 30_000,
    })
    expect(await ask(`${api}/health/live`)).toMatchObject({ status: 200 })
    await waitUntil(async () => (await ask(`${api}/v1/cluster`)).text.includes('"NoQuorum"'), {
      timeoutMs: 30_000,
    })
    const seen = await lookAround({ kiroku, api, nats: cluster.urls[0]! })
    for (const { exit, stdout, stderr } of seen.commands) {
      expect(exit).toBe(5)
      expect(stdout + stderr).toContain('NoQuorum: ')
      expect(stdout + stderr).not.toContain('Start NATS or')
    }
    expect(JSON.parse(seen.queues.text)).toMatchObject({ id: 'NoQuorum', retryable: true })
    expect(seen.cluster.text).toContain('"NoQuorum"')
    await Promise.all([cluster.servers[1]!.restart(), cluster.servers[2]!.restart()])
    await readyAgain(api)
  })
})
