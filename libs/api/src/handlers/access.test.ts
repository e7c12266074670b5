import { describe, expect, it } from 'vitest'
import { client, engineForEach, serve } from '../testing/serveTestApi.ts'

engineForEach()

describe('who may do what over HTTP', () => {
  it('admits each role to what it may do', async () => {
    const { ask } = await serve(
      'vic:viewer:the-token-of-vic,olga:operator:the-token-of-olga,ann:admin:the-token-of-ann',
    )
    const statuses = async (method: string, path: string, body?: unknown) =>
      Promise.all(
        ['', 'wrong-token', 'the-token-of-vic', 'the-token-of-olga', 'the-token-of-ann'].map(
          async (token) => {
            const { status } = await ask(
              method,
              path,
              body,
              token === '' ? {} : { authorization: `Bearer ${token}` },
            )
            return status
          },
        ),
      )
    expect(await statuses('POST', '/v1/queues', { name: 'q' })).toEqual([401, 401, 403, 403, 200])
    expect(await statuses('POST', '/v1/queues/q/messages', { body: 1 })).toEqual([401, 401, 403, 200, 200])
    expect(await statuses('GET', '/v1/queues')).toEqual([401, 401, 200, 200, 200])
    expect(await statuses('GET', '/v1/cluster')).toEqual([401, 401, 200, 200, 200])
    expect(await statuses('GET', '/metrics')).toEqual([401, 401, 200, 200, 200])
    expect(await statuses('GET', '/health/live')).toEqual([200, 200, 200, 200, 200])
  })

  it.each([
    ['malformed JSON', 'POST', '/v1/queues', '{"name":,}', 400, 'MalformedJson', /not JSON/],
    ['a wrong type', 'POST', '/v1/queues', { name: 5 }, 400, 'InvalidArgument', /name must be text/],
    ['an unknown field', 'POST', '/v1/queues', { name: 'q', setings: {} }, 400, 'InvalidArgument', /setings/],
    [
      'a setting out of range',
      'POST',
      '/v1/queues',
      { name: 'q', settings: { retriesMax: -1 } },
      400,
      'InvalidConfig',
      /retriesMax/,
    ],
    ['an invalid name', 'POST', '/v1/queues', { name: 'a b' }, 400, 'InvalidQueueName', /"a b"/],
    ['an unknown queue', 'GET', '/v1/queues/nope', undefined, 404, 'UnknownQueue', /nope/],
    [
      'a message without a body',
      'POST',
      '/v1/queues/q/messages',
      {},
      400,
      'InvalidArgument',
      /either "body" or "bodyBase64"/,
    ],
    [
      'bytes that are not base64',
      'POST',
      '/v1/queues/q/messages',
      { bodyBase64: '%' },
      400,
      'InvalidArgument',
      /base64/,
    ],
    [
      'a body over the limit',
      'POST',
      '/v1/queues/q/messages',
      { body: 'x'.repeat(20_000) },
      413,
      'BodyTooLarge',
      /10000 bytes/,
    ],
    ['no receipts', 'POST', '/v1/messages/ack', { receipts: [] }, 400, 'InvalidArgument', /receipts/],
    ['an invalid id', 'GET', '/v1/messages/nonsense/trace', undefined, 400, 'InvalidArgument', /nonsense/],
    ['an unknown path', 'GET', '/v2/queues', undefined, 404, 'InvalidArgument', /GET \/v2\/queues/],
  ])('answers %s with an error of Kiroku', async (_, method, path, body, status, id, message) => {
    const { ask, defects } = await serve()
    const answer = await ask(method, path, body)
    expect(answer.status).toBe(status)
    expect(answer.json()).toMatchObject({
      id,
      message: expect.stringMatching(message) as string,
      help: expect.any(String) as string,
    })
    expect(defects).toEqual([])
  })

  it("refuses what another site's page sends to an API without tokens", async () => {
    const { ask } = await serve()
    await client.queues.create('q')
    const answer = await ask('POST', '/v1/queues/q/purge', undefined, { origin: 'https://example.org' })
    expect([answer.status, answer.json()]).toMatchObject([403, { id: 'Forbidden' }])
  })
})
