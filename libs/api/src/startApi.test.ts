import type { Actor } from '@kiroku/protocol'
import { Tokens } from '@kiroku/doors'
import { KirokuError } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { startApi } from './startApi.ts'
import { client, engineForEach, said, serve } from './testing/serveTestApi.ts'

engineForEach()

describe('closing the API', () => {
  it('ends a waiting receive without a message', async () => {
    const { api, ask } = await serve()
    await client.queues.create('q')
    const receive = ask('POST', '/v1/queues/q/receive', { waitMs: 60_000 })
    await expect.poll(async () => (await client.queues.describe('q')).waitingPolls).toBe(1)
    await api.close()
    const answer = await receive
    expect([answer.status, answer.json()]).toEqual([200, { messages: [] }])
  })
})

describe('an error that says how long to wait', () => {
  it.each([
    [1, '1'],
    [1_000, '1'],
    [1_001, '2'],
    [12_500, '13'],
    [undefined, null],
  ])('with a pause of %s ms has the header Retry-After: %s', async (retryAfterMs, header) => {
    const busy = new KirokuError('Busy', 'at a limit', { retryAfterMs })
    const { ask } = await serve('', { clusterStatus: () => Promise.reject(busy) })
    const answer = await ask('GET', '/v1/cluster')
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, header])
    expect(answer.json()).toEqual({
      id: 'Busy',
      message: 'at a limit',
      help: busy.help,
      retryable: true,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    })
  })

  it('is sent for metrics too; other answers have no such header', async () => {
    const { ask } = await serve('', {
      metrics: () => {
        throw new KirokuError('Unavailable', 'away', { retryAfterMs: 2_100 })
      },
    })
    const metrics = await ask('GET', '/metrics')
    expect([metrics.status, metrics.headers.get('retry-after')]).toEqual([503, '3'])
    await client.queues.create('q')
    expect((await ask('GET', '/v1/queues/q')).headers.get('retry-after')).toBeNull()
    expect((await ask('GET', '/v1/queues/nope')).headers.get('retry-after')).toBeNull()
  })
})

describe('next to the API', () => {
  it('health is ready despite a warning, and states it', async () => {
    const { ask } = await serve()
    said.warnings = ['the clocks disagree']
    const answer = await ask('GET', '/health/ready')
    expect([answer.status, answer.json()]).toEqual([200, { status: 'ready', warnings: said.warnings }])
  })

  it('lets an admin decide which clock is right, and changes nothing when they agree', async () => {
    const { ask } = await serve('olga:operator:the-token-of-olga,ann:admin:the-token-of-ann')
    const say = (token: string, body: object) =>
      ask('POST', '/v1/cluster/clock', body, { authorization: `Bearer ${token}` })
    expect((await say('the-token-of-olga', { accept: 'store' })).status).toBe(403)
    expect((await say('the-token-of-ann', { accept: 'sundial' })).status).toBe(400)
    expect((await say('the-token-of-ann', { accept: 'node', partition: 9 })).status).toBe(400)
    const answer = await say('the-token-of-ann', { accept: 'node', partition: 1, reason: 'NTP' })
    expect([answer.status, answer.json()]).toEqual([200, { steps: [{ partition: 1, steppedMs: 0 }] }])
  })

  it('lets an admin finalize the cluster, with a reason for the record', async () => {
    const asked: Actor[] = []
    const finalizeCluster = (by: Actor) => {
      asked.push(by)
      return Promise.resolve({ clusterVersion: 1, raised: [0, 1] })
    }
    const { ask } = await serve('olga:operator:the-token-of-olga,ann:admin:the-token-of-ann', {
      finalizeCluster,
    })
    const say = (token: string, body: object) =>
      ask('POST', '/v1/cluster/finalize', body, { authorization: `Bearer ${token}` })
    expect((await say('the-token-of-olga', {})).status).toBe(403)
    const answer = await say('the-token-of-ann', { reason: 'all are upgraded' })
    expect([answer.status, answer.json()]).toEqual([200, { clusterVersion: 1, raised: [0, 1] }])
    expect(asked).toEqual([expect.objectContaining({ name: 'ann', reason: 'all are upgraded' })])
  })

  it('health distinguishes liveness from readiness', async () => {
    const { ask } = await serve()
    expect((await ask('GET', '/health/ready')).status).toBe(200)
    said.notReady = 'stopping'
    const answer = await ask('GET', '/health/ready')
    expect([answer.status, answer.json()]).toEqual([503, { status: 'not ready', reason: 'stopping' }])
    expect((await ask('GET', '/health/live')).status).toBe(200)
  })

  it('metrics of queues and of the engine have the text format', async () => {
    const { ask } = await serve()
    await client.queues.create('q')
    await ask('POST', '/v1/queues/q/messages', { body: 'x' })
    await ask('POST', '/v1/queues/nope/messages', { body: 'x' })
    const { text, headers } = await ask('GET', '/metrics')
    expect(headers.get('content-type')).toContain('text/plain; version=0.0.4')
    expect(text).toContain('kiroku_messages{queue="q",state="Available"} 1\n')
    expect(text).toMatch(
      /messaging_client_sent_messages_total\{messaging_system="kiroku",messaging_destination_name="q",.*\} 1\n/,
    )
    expect(text).toContain('engine_own 1\n')
    const duration =
      'messaging_client_operation_duration_seconds_count{messaging_system="kiroku",messaging_operation_name="send"'
    expect(text).toContain(`${duration}} 1\n`)
    expect(text).toContain(`${duration},error_type="UnknownQueue"} 1\n`)
    for (const line of text.trim().split('\n'))
      expect(line).toMatch(/^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{.*\})? \S+)$/)
  })

  it('what nobody answers ends with the reason why NATS does not store, and waits where it does', async () => {
    await client.queues.create('q')
    const never = () => new Promise(() => {})
    const silent = { queues: { survey: never, pause: never } } as unknown as typeof client
    const outage = new KirokuError('NoQuorum', 'no leader')
    const out = await serve('', { client: silent, outage: () => Promise.resolve(outage) })
    const answer = await out.ask('GET', '/v1/queues')
    expect([answer.status, answer.json()]).toMatchObject([503, { id: 'NoQuorum', message: 'no leader' }])
    const acted = await out.ask('POST', '/v1/queues/q/pause')
    expect([acted.status, acted.json()]).toMatchObject([
      503,
      { id: 'Unavailable', message: 'no leader; what was asked for may still be done' },
    ])
    const takeOver = Promise.withResolvers<undefined>()
    const late = { queues: { survey: () => takeOver.promise.then(() => client.queues.survey()) } }
    const slow = await serve('', {
      client: late as unknown as typeof client,
      outage: () => Promise.resolve(takeOver.resolve(undefined) as undefined),
    })
    expect((await slow.ask('GET', '/v1/queues')).status).toBe(200)
  })

  it('metrics ask nobody, and answer while no partition does', async () => {
    await client.queues.create('q')
    const { ask } = await serve('', { client: {} as typeof client })
    const { status, text } = await ask('GET', '/metrics')
    expect(status).toBe(200)
    expect(text).toContain('kiroku_messages{queue="q",state="Available"} 0\n')
  })

  it('metrics of a spread queue count all of its parts that are here', async () => {
    await client.queues.create('wide')
    await client.queues.spread('wide', 2)
    const { ask } = await serve()
    for (let n = 0; n < 8; n++) await ask('POST', '/v1/queues/wide/messages', { body: 'x' })
    const { text } = await ask('GET', '/metrics')
    expect(text).toContain('kiroku_messages{queue="wide",state="Available"} 8\n')
    const sent = [...text.matchAll(/^messaging_client_sent_messages_total\{.*="wide",.*="([01])"\} (\d+)$/gm)]
    expect(sent.map(([, partition]) => partition).toSorted()).toEqual(['0', '1'])
    expect(sent.reduce((sum, [, , count]) => sum + Number(count), 0)).toBe(8)
  })

  it('the page of the API loads nothing from elsewhere', async () => {
    const { ask } = await serve()
    const { text, headers } = await ask('GET', '/docs')
    expect(text).not.toMatch(/<(script|link|img)[^>]+(src|href)="https?:/)
    expect(headers.get('content-security-policy')).toMatch(/default-src 'self'/)
    const document = (await ask('GET', '/openapi.json')).json() as { paths: object }
    expect(Object.keys(document.paths)).toContain('/v1/queues/{queue}/messages')
  })

  it('a taken port is PortInUse', async () => {
    const { api } = await serve()
    const options = {
      host: '127.0.0.1',
      port: Number(new URL(api.url).port),
      tokens: new Tokens(),
      bodyBytesMax: 1,
    }
    await expect(startApi({} as never, options)).rejects.toMatchObject({ id: 'PortInUse' })
  })
})
