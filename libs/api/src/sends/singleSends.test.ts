import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { httpLimitsDefault, InFlight, OperationTimes, Tokens } from '@kiroku/doors'
import { describe, expect, it } from 'vitest'
import { client, engineForEach, serve, texts } from '../testing/serveTestApi.ts'
import { singleSends } from './singleSends.ts'

engineForEach()

/** How the answer to what is left to the definition is known here. */
const left = 418

const long = 'x'.repeat(2_000)
const tokens = 'ops:operator:operator-secret-1,eye:viewer:viewer-secret-12,own:operator@own*:own-secret-12345'

/** What a caller may send, by what is special about it. */
const sends: Readonly<Record<string, { body: unknown; queue?: string; headers?: Record<string, string> }>> = {
  text: { body: { body: 'text' } },
  JSON: { body: { body: { to: 'ada', tags: [1, null, true] } } },
  'nothing but null': { body: { body: null } },
  'all options': {
    body: {
      body: 'x',
      attributes: { a: 'b' },
      tag: 't',
      contentType: 'text/plain',
      delayMs: 60_000,
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    },
  },
  'a number beyond any double': { body: '{"body":1e400}' },
  'a field of a prototype': { body: '{"body":"x","__proto__":{"delayMs":1}}' },
  bytes: { body: { bodyBase64: '/wA=' } },
  'no base64': { body: { bodyBase64: '/w' } },
  'two bodies': { body: { body: 'x', bodyBase64: '/wA=' } },
  'no body': { body: {} },
  'an unknown field': { body: { body: 'x', delay: 5 } },
  'a wrong type': { body: { body: 'x', delayMs: 'soon' } },
  'a negative delay': { body: { body: 'x', delayMs: -1 } },
  'no JSON': { body: '{"body":' },
  'no object': { body: '[]' },
  'an empty request': { body: '' },
  'JSON that is deep': { body: `{"body":${'['.repeat(1_200)}${']'.repeat(1_200)}}` },
  'a queue that is not there': { body: { body: 'x' }, queue: 'nowhere' },
  'no name of a queue': { body: { body: 'x' }, queue: '-' },
  'a body beyond the queue’s limit': { body: { body: long }, queue: 'small' },
  'a body that does not fit': { body: { body: 1 }, queue: 'checked' },
  'a wrong token': { body: { body: 'x' }, headers: { authorization: 'Bearer nobody-has-this-one' } },
  'no token': { body: { body: 'x' }, headers: { authorization: '' } },
  'a viewer': { body: { body: 'x' }, headers: { authorization: 'Bearer viewer-secret-12' } },
  'a queue that the caller may not know of': {
    body: { body: 'x' },
    headers: { authorization: 'Bearer own-secret-12345' },
  },
  'a missing queue of a caller with few': {
    body: { body: 'x' },
    queue: 'own.gone',
    headers: { authorization: 'Bearer own-secret-12345' },
  },
}

describe('a single send over HTTP', () => {
  it.each(Object.entries(sends))('is answered as the definition says: %s', async (_, given) => {
    const { ask } = await serve(tokens)
    await client.queues.create('mail')
    await client.queues.create('small', { bodyBytesMax: 1_000 })
    await client.queues.create('checked', { bodySchema: { type: 'object' }, bodyCheck: 'all' })
    const { body, queue = 'mail', headers } = given
    const answered = async (contentType: string) => {
      const answer = await ask('POST', `/v1/queues/${queue}/messages`, body, {
        authorization: 'Bearer operator-secret-1',
        ...headers,
        'content-type': contentType,
      })
      const { date: _date, 'content-length': length, ...rest } = Object.fromEntries(answer.headers)
      expect(length).toBe(String(Buffer.byteLength(answer.text)))
      const text = answer.text.replace(/"messageId":"[^"]+"/, '"messageId":"some"')
      return { status: answer.status, headers: rest, text }
    }
    // One that says more of its type is answered by the definition.
    expect(await answered('application/json')).toEqual(await answered('application/json; charset=utf-8'))
  })

  it.each([
    ['an ordinary message', '{"body":"x"}', {}, 200],
    ['what is not sent as JSON alone', '{"body":"x"}', { 'content-type': 'text/plain' }, left],
    ['what a page of a browser sends', '{"body":"x"}', { origin: 'http://localhost' }, left],
    ['what an issuer vouches for', '{"body":"x"}', { authorization: 'Bearer a.b.c' }, left],
    ['a large one', JSON.stringify({ body: 'x'.repeat(9_000) }), {}, left],
    ['what is no message', '{"body":"x","bodyBase64":"/wA="}', {}, left],
    ['what is no JSON', '{"body":', {}, left],
  ] as const)('leaves what is unusual to the definition: %s', async (_, body, headers, status) => {
    await client.queues.create('mail')
    const limits = { ...httpLimitsDefault, requestsMax: 1 }
    const inFlight = new InFlight(limits)
    const own = {
      tokens: new Tokens(),
      onDefect: () => {},
      times: new OperationTimes(),
      bodyBytesMax: 100_000,
    }
    const server = createServer(
      singleSends({ client }, { ...own, inFlight }, (other, response) => {
        // The listener that answers a request also counts it.
        inFlight.enter(other.socket, other)
        response.statusCode = left
        other.pipe(response)
      }),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const url = `http://127.0.0.1:${port}/v1/queues/mail/messages`
    const type = { 'content-type': 'application/json' }
    const answer = await fetch(url, { method: 'POST', headers: { ...type, ...headers }, body })
    const text = await answer.text()
    server.close()
    server.closeAllConnections()
    expect(answer.status).toBe(status)
    if (status === left) expect(text).toBe(body)
  })

  it('keeps its digits, and is the message that it says', async () => {
    const { ask } = await serve()
    await client.queues.create('mail')
    const body = '{"cents":12345678901234567890}'
    const sent = await ask('POST', '/v1/queues/mail/messages', `{"body":${body}}`)
    expect(await texts('mail')).toEqual([body])
    const [received] = await client.receive('mail')
    expect(sent.json()).toEqual({ messageId: received!.id })
  })

  it('tells the operator of a failure that nobody can mend, and the caller no more than that', async () => {
    const { ask, defects } = await serve('', {
      client: { ...client, send: () => Promise.reject(new Error('the secret is 42')) },
    })
    const answer = await ask('POST', '/v1/queues/mail/messages', { body: 'x' })
    expect([answer.status, answer.json()]).toMatchObject([500, { id: 'Internal' }])
    expect(answer.text).not.toContain('42')
    expect(defects).toMatchObject([[{ message: 'the secret is 42' }, 'POST /v1/queues/mail/messages']])
  })

  it('counts until it was answered, also where its caller leaves in the middle of it', async () => {
    const { api, ask } = await serve()
    const waiting = async () => /kiroku_http_requests (\d+)/.exec((await ask('GET', '/metrics')).text)![1]
    const headers = { 'content-type': 'application/json', 'content-length': 100 }
    const cut = request(`${api.url}/v1/queues/mail/messages`, { method: 'POST', headers })
    cut.on('error', () => {})
    cut.write('{"body":')
    // The question itself is one.
    await expect.poll(waiting).toBe('2')
    cut.destroy()
    await expect.poll(waiting).toBe('1')
  })
})
