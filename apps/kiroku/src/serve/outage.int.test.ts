import type { Client } from '@kiroku/client'
import { connect } from '@kiroku/client-nats'
import { isKirokuError } from '@kiroku/protocol'
import { startNatsCluster, startTestNats, temporaryFolder, waitUntil } from '@kiroku/testkit'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Kiroku, readyOf } from '../testing/Kiroku.ts'

/** A node on these servers, until the test ends. */
const serveOn = async (urls: readonly string[], ...more: string[]) => {
  const folder = await temporaryFolder()
  onTestFinished(() => folder.remove())
  const kiroku = new Kiroku(folder.path)
  onTestFinished(() => kiroku.killAll())
  const flags = ['--partitions', '2', '--http', '127.0.0.1:0', '--json']
  const engine = kiroku.start(['serve', '--nats', urls.join(','), ...flags, ...more])
  const { api } = await readyOf(engine)
  const client = await connect({ servers: urls, link: 'off', onEvent: () => {} })
  onTestFinished(() => client.close())
  await client.queues.create('orders', { dedup: 'id' })
  return { kiroku, api, client }
}

/** How long a send may take to say that nobody answers, in ms. */
const sendMsMax = 5_000

/** Sends by each door at once; none succeeds, and none hangs. Returns what the command line answered. */
const sendInVain = async (at: { kiroku: Kiroku; api: string; client: Client; nats: string }) => {
  const took: Record<string, number> = {}
  const begunMs = performance.now()
  const ended = (door: string) => (took[door] = Math.round(performance.now() - begunMs))
  const body = { body: 'x', dedupId: 'by http' }
  const [native, http, command] = await Promise.all([
    at.client
      .send('orders', 'x', { dedupId: 'by client' })
      .then(String, (error: unknown) => error)
      .finally(() => ended('client')),
    fetch(`${at.api}/v1/queues/orders/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).finally(() => ended('http')),
    at.kiroku.run(['send', 'orders', 'x', '--dedup-id', 'by command', '--nats', at.nats]),
  ])
  const may = /it may still be stored$|it was not stored$/
  expect(isKirokuError(native) && native).toMatchObject({
    id: 'Unavailable',
    message: expect.stringMatching(may) as string,
  })
  expect([http.status, await http.json()]).toMatchObject([
    503,
    { id: 'Unavailable', message: expect.stringMatching(may) as string, retryable: true },
  ])
  for (const [door, ms] of Object.entries(took)) expect(ms, door).toBeLessThan(sendMsMax)
  expect(command.exit).toBe(5)
  return command.stderr
}

/** Repeats what may or may not be stored, under the same ids: each is there once then. */
const sendAgain = async (client: Client) => {
  for (const dedupId of ['by client', 'by http', 'by command']) {
    await client.send('orders', 'x', { dedupId })
    await client.send('orders', 'x', { dedupId })
  }
  expect((await client.queues.describe('orders')).counts.available).toBe(3)
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
  it('[CARD-07] is alive and not ready while NATS is frozen, says why, to senders too, and is ready again afterwards', async () => {
    const server = await startTestNats()
    onTestFinished(() => server.stop())
    const { kiroku, api, client } = await serveOn([server.url])
    expect(await ask(`${api}/health/ready`)).toMatchObject({ status: 200, text: '{"status":"ready"}' })
    await server.kill('SIGSTOP')
    expect(await notReady(api)).toMatch(/^NATS did not answer within \d+ ms$|^no connection to NATS$/)
    expect(await ask(`${api}/health/live`)).toMatchObject({ status: 200 })
    const metrics = await ask(`${api}/metrics`)
    expect(metrics.status).toBe(200)
    expect(metrics.text).toMatch(/^kiroku_partition_epoch\{partition="1",node=".*"\} 1$/m)
    // A machine that has other things to do may be late once.
    const scrapes = [await ask(`${api}/metrics`), await ask(`${api}/metrics`), await ask(`${api}/metrics`)]
    expect(Math.min(...scrapes.map(({ ms }) => ms))).toBeLessThan(100)
    expect(await sendInVain({ kiroku, api, client, nats: server.url })).toContain('NatsUnreachable: ')
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
    await sendAgain(client)
  })
})

describe('a node whose NATS lost its quorum', { timeout: 180_000 }, () => {
  it('[CARD-07] is not ready, names the quorum, to senders too, and is ready again once the servers are back', async () => {
    const cluster = await startNatsCluster()
    onTestFinished(() => cluster.stop())
    const { kiroku, api, client } = await serveOn(cluster.urls, '--replicas', '3')
    const patient = await connect({
      servers: cluster.urls,
      link: 'off',
      sendTimeoutMs: 300_000,
      onEvent: () => {},
    })
    onTestFinished(() => patient.close())
    const { messageId } = await client.send('orders', 'first', { dedupId: 'first' })
    const traced = `${api}/v1/messages/${messageId}/trace`
    await waitUntil(async () => (await ask(traced)).status === 200, {
      timeoutMs: 60_000,
      what: 'the auditor answers',
    })
    await Promise.all([cluster.servers[1]!.kill(), cluster.servers[2]!.kill()])
    const waiting = patient.send('orders', 'first', { dedupId: 'first' })
    // A leader that is left alone takes seconds to notice; what is said until then must not take longer for that.
    await sendInVain({ kiroku, api, client, nats: cluster.urls[0]! })
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
    expect(await sendInVain({ kiroku, api, client, nats: cluster.urls[0]! })).toContain('Unavailable: ')
    const trace = await ask(traced)
    expect([trace.status, trace.text]).toEqual([200, expect.stringContaining('Enqueued')])
    await Promise.all([cluster.servers[1]!.restart(), cluster.servers[2]!.restart()])
    await readyAgain(api)
    // A repeat is answered with the id of the first.
    expect((await waiting).messageId).toBe(messageId)
    await client.ack((await client.receive('orders', { waitMs: 20_000 })).map(({ receipt }) => receipt))
    await sendAgain(client)
  })
})
