import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { connect as connectClient } from '@kiroku/client-nats'
import { openLog } from '@kiroku/log-jetstream'
import { connect } from '@kiroku/nats'
import { startTestNats, temporaryFolder, waitUntil } from '@kiroku/testkit'
import { expect, it } from 'vitest'

const executable = fileURLToPath(new URL('../../apps/kiroku/bin/kiroku.mjs', import.meta.url))
const partitions = 2
const run = promisify(execFile)

/** Starts `kiroku serve` with its auditor; resolves with the address of its API. */
const serve = (url: string, dataDir: string): { child: ChildProcess; api: Promise<string> } => {
  const args = [
    'serve',
    '--json',
    '--log-level',
    'warn',
    '--nats',
    url,
    '--data-dir',
    dataDir,
    '--http',
    '127.0.0.1:0',
  ]
  const child = spawn(process.execPath, [executable, ...args, '--partitions', String(partitions)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const api = new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      if (line.startsWith('{"ready":true')) resolve((JSON.parse(line) as { api: string }).api)
    })
    child.once('exit', () => reject(new Error('the engine ended before it was ready')))
  })
  return { child, api }
}

it(
  '[CARD-05] reading creates no consumer in JetStream, polls no engine and takes no lease, and leaves a queue unchanged',
  { timeout: 90_000 },
  async () => {
    await using world = new AsyncDisposableStack()
    const server = await startTestNats()
    world.defer(() => server.stop())
    const folder = await temporaryFolder()
    world.defer(() => folder.remove())
    const { child, api: ready } = serve(server.url, folder.path)
    world.defer(async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      if (child.kill()) await gone
    })
    const api = await ready
    const client = await connectClient({ servers: server.url })
    world.defer(() => client.close())
    const nats = await connect({ servers: server.url })
    world.defer(() => nats.close())
    const log = await openLog(nats, { name: 'main' })
    world.defer(() => log.close())

    await client.queues.create('dead')
    await client.queues.create('mail', { retriesMax: 0, deadLetter: 'dead' })
    const { messageId } = await client.send('mail', 'the one that fails')
    const [first] = await client.receive('mail')
    await first!.retry({ error: 'no stock' })
    const countsOf = async (queue: string) => (await client.queues.describe(queue)).counts
    await waitUntil(async () => (await countsOf('dead')).available === 1)
    await client.sendBatch('mail', [{ body: 'a' }, { body: 'b' }])

    /** What a receive, a lease or an answer to one would change, and what a poll or a consumer leaves. */
    const streams = Array.from({ length: partitions }, (_, n) => `KIROKU_main_${n}`)
    const standing = async () => {
      const ask = async (stream: string) => {
        const info: unknown = (await nats.request(`$JS.API.STREAM.INFO.${stream}`)).json()
        const { last_seq, consumer_count } = (info as { state: Record<string, number> }).state
        return { last_seq, consumer_count }
      }
      const queues = (await client.queues.list()).map(({ name, counts, waitingPolls }) => ({
        name,
        counts,
        waitingPolls,
      }))
      return { queues, streams: await Promise.all(streams.map(ask)) }
    }
    /** Also of consumers that are gone again. */
    const consumers: string[] = []
    nats.subscribe('$JS.EVENT.ADVISORY.CONSUMER.CREATED.>', {
      callback: (_, { subject }) => void consumers.push(subject),
    })
    await nats.flush()
    const before = await standing()

    const leaving = new AbortController()
    world.defer(() => leaving.abort())
    for (const path of ['/v1/feed', '/v1/queues/mail/feed']) {
      const { body } = await fetch(api + path, { signal: leaving.signal })
      const feed = body!.getReader()
      // Heartbeats come first where the auditor has not read everything yet.
      let told = ''
      while (!told.includes('event: snapshot')) {
        const { value, done } = await feed.read()
        expect(done).toBe(false)
        told += new TextDecoder().decode(value)
      }
    }
    const ask = async (path: string): Promise<unknown> => {
      const response = await fetch(api + path)
      expect(response.status).toBe(200)
      return response.json()
    }
    const isIndexed = async (): Promise<boolean> => {
      const { messages } = (await ask('/v1/search?q=queue:mail')) as { messages: readonly unknown[] }
      return messages.length === 3
    }
    await waitUntil(isIndexed, { timeoutMs: 30_000, what: 'the auditor has read everything' })
    expect(await ask('/v1/queues/mail/state')).toMatchObject({ counts: { available: 2 } })
    await ask(`/v1/messages/${messageId}/trace`)
    await ask('/v1/queues/dead/dead-letters')
    await ask('/v1/acts')
    for (const command of [
      ['verify'],
      ['replay', 'mail'],
      ['replay', 'mail', '--from', '1h', '--speed', 'max'],
      ['tail', 'mail', '--from', '1', '--until-end'],
      ['trace', messageId],
      ['search', 'queue:mail'],
      ['dlq', 'list', 'dead'],
    ])
      await run(process.execPath, [executable, ...command, '--nats', server.url, '--data-dir', folder.path])

    expect(await standing()).toEqual(before)
    expect(consumers).toEqual([])

    // Each of these would have been noticed.
    const config = { durable_name: 'browser', ack_policy: 'none' }
    const request = JSON.stringify({ stream_name: streams[0], config })
    await nats.request(`$JS.API.CONSUMER.DURABLE.CREATE.${streams[0]}.browser`, request)
    await waitUntil(() => consumers.length === 1)
    const [taken] = await client.receive('mail')
    await taken!.release()
    expect((await standing()).streams).not.toEqual(before.streams)
  },
)
