import { connect, type Socket } from 'node:net'
import { httpLimitsDefault } from '@kiroku/doors'
import { waitUntil } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { client, engineForEach, serve } from './testing/serveTestApi.ts'

engineForEach()

const mib = 1024 * 1024

/** A connection of one's own: what it was answered, and whether it still stands. */
const raw = (url: string) => {
  const { hostname, port } = new URL(url)
  const socket: Socket = connect(Number(port), hostname)
  let text = ''
  let isOpen = true
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  socket.on('error', () => {})
  socket.on('close', () => (isOpen = false))
  return { socket, text: () => text, isOpen: () => isOpen }
}

const statusesIn = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))

describe('limits of the HTTP API', () => {
  it('refuse JSON of too many values before it is parsed', async () => {
    const { ask, defects } = await serve('', {}, { bodyBytesMax: 16 * mib })
    await client.queues.create('q')
    const many = `${'[],'.repeat(5 * mib - 20)}[]`
    const bodies = { one: `{"body":[${many}]}`, bare: `[${many}]`, deep: '['.repeat(15 * mib) }
    for (const text of Object.values(bodies)) {
      const answer = await ask('POST', '/v1/queues/q/messages', text)
      expect([answer.status, answer.json()]).toMatchObject([400, { id: 'InvalidArgument' }])
    }
    const full = await ask('POST', '/v1/queues/q/messages', `{"body":[${'1,'.repeat(99_000)}1]}`)
    expect(full.status).toBe(200)
    expect(defects).toEqual([])
  })

  it('refuse a message that its queue cannot take before it is parsed, also one of several', async () => {
    const { ask } = await serve('', {}, { bodyBytesMax: mib })
    await client.queues.create('small', { bodyBytesMax: 100 })
    await client.queues.create('large')
    const message = (characters: number) => `{"body":"${'x'.repeat(characters)}"}`
    const send = (queue: string, text: string) => ask('POST', `/v1/queues/${queue}/messages`, text)
    const sendAll = (queue: string, ...texts: string[]) =>
      ask('POST', `/v1/queues/${queue}/messages/batch`, `{"messages":[${texts.join(',')}]}`)
    const refused = [
      await send('small', message(200_000)),
      await sendAll('small', message(1), message(200_000)),
    ]
    for (const answer of refused)
      expect([answer.status, answer.json()]).toMatchObject([
        413,
        { id: 'BodyTooLarge', message: expect.stringContaining('cannot fit the limit') as string },
      ])
    expect((await send('nope', message(200_000))).json()).toMatchObject({ id: 'UnknownQueue' })
    expect((await send('large', message(200_000))).status).toBe(200)
    expect((await sendAll('large', message(200_000), message(200_000))).status).toBe(200)
  })

  it('hold for a queue however the path of the request is written', async () => {
    const { ask, defects } = await serve('', {}, { bodyBytesMax: mib })
    await client.queues.create('small', { bodyBytesMax: 100 })
    for (const path of ['/v1/%71ueues/small/messages', '/v1/queues/%73mall/messages']) {
      const answer = await ask('POST', path, `{"body":"${'x'.repeat(200_000)}"}`)
      expect([path, answer.status, answer.json()]).toMatchObject([path, 413, { id: 'BodyTooLarge' }])
    }
    expect(defects).toEqual([])
  })

  it('hold for the bytes of all requests together, and free them with the answers', async () => {
    const { ask } = await serve(
      '',
      {},
      { bodyBytesMax: mib, limits: { ...httpLimitsDefault, bytesMax: mib } },
    )
    await client.queues.create('q')
    const body = `{"body":"${'x'.repeat(600_000)}"}`
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => ask('POST', '/v1/queues/q/messages', body)),
    )
    const ids = new Set(answers.map(({ status }) => status))
    expect([...ids].sort()).toEqual([200, 503])
    const busy = answers.find(({ status }) => status === 503)!
    expect(busy.json()).toMatchObject({ id: 'Busy' })
    expect(busy.headers.get('retry-after')).toBe('1')
    for (let n = 0; n < 5; n++) expect((await ask('POST', '/v1/queues/q/messages', body)).status).toBe(200)
    expect((await ask('GET', '/metrics')).text).toMatch(/kiroku_http_busy_total\{limit="bytes"\} [1-9]/)
  })

  it('hold for requests in all, but health is answered; a receive whose caller is gone is not counted', async () => {
    const { ask } = await serve('', {}, { limits: { ...httpLimitsDefault, requestsMax: 2 } })
    await client.queues.create('q')
    const gone = new AbortController()
    const waiting = [1, 2].map(() =>
      ask('POST', '/v1/queues/q/receive', { waitMs: 60_000 }, {}, gone.signal).catch(() => undefined),
    )
    await waitUntil(async () => (await client.queues.describe('q')).waitingPolls === 2)
    expect((await ask('GET', '/v1/queues')).json()).toMatchObject({ id: 'Busy' })
    expect((await ask('GET', '/health/ready')).status).toBe(200)
    gone.abort()
    await Promise.all(waiting)
    await waitUntil(async () => (await ask('GET', '/v1/queues')).status === 200)
  })

  it('hold for requests of one connection that wait behind each other', async () => {
    const { api } = await serve('', {}, { limits: { ...httpLimitsDefault, requestsPerConnectionMax: 3 } })
    await client.queues.create('q')
    const { socket, text } = raw(api.url)
    const receive = JSON.stringify({ waitMs: 300 })
    const request = `POST /v1/queues/q/receive HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${receive.length}\r\n\r\n${receive}`
    socket.write(request.repeat(4))
    await waitUntil(() => statusesIn(text()).length === 4)
    expect(statusesIn(text())).toEqual([200, 200, 200, 503])
    socket.destroy()
  })

  it('close connections beyond the limit, slow headers, slow bodies and those that rest', async () => {
    const { api, ask } = await serve(
      '',
      {},
      {
        limits: { ...httpLimitsDefault, connectionsMax: 4, headerMs: 400, requestMs: 800, idleMs: 100 },
      },
    )
    await client.queues.create('q')
    const [slow, unsent, resting, none] = [raw(api.url), raw(api.url), raw(api.url), raw(api.url)]
    slow.socket.write('GET /health/live HTTP/1.1\r\nhost: local')
    unsent.socket.write(
      'POST /v1/queues/q/messages HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n\r\n{"body":"',
    )
    resting.socket.write('GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n')
    await waitUntil(() => statusesIn(resting.text()).length === 1)
    const beyond = raw(api.url)
    await waitUntil(() => !beyond.isOpen())
    expect(beyond.text()).toBe('')
    await waitUntil(() => [slow, unsent, resting, none].every(({ isOpen }) => !isOpen()), {
      timeoutMs: 10_000,
    })
    expect(statusesIn(slow.text())).toEqual([408])
    expect(statusesIn(unsent.text())).toEqual([408])
    expect((await ask('GET', '/metrics')).text).toContain('kiroku_http_busy_total{limit="connections"} 1')
  })
})
