import { type Trace } from '@kiroku/audit'
import { describe, expect, it } from 'vitest'
import { client, engineForEach, serve, texts, type Received } from '../testing/serveTestApi.ts'

engineForEach()

describe('messages over HTTP', () => {
  it('keeps every digit of the numbers in a body, sent alone or with others, edited and received', async () => {
    const { ask } = await serve()
    await ask('POST', '/v1/queues', { name: 'exact' })
    const body =
      '{"cents":12345678901234567890,"rate":0.12345678901234567890,"far":1e22,"id":"9007199254740993"}'
    const sent = await ask('POST', '/v1/queues/exact/messages', `{"body":${body}}`)
    const number = '9007199254740993'
    const others = `{"messages":[{"body":${number}},{"body":"text"},{"body":[${body}]}]}`
    await ask('POST', '/v1/queues/exact/messages/batch', others)
    expect(await texts('exact')).toEqual([body, number, 'text', `[${body}]`])
    const { messageId } = sent.json() as { messageId: string }
    await ask('POST', `/v1/messages/${messageId}/body`, `{"body":{"cents":${number}}}`)
    const received = await ask('POST', '/v1/queues/exact/receive', { max: 10 })
    expect(received.headers.get('content-type')).toContain('application/json')
    for (const written of [`"body":{"cents":${number}}`, `"body":${number},`, `"body":[${body}]`])
      expect(received.text).toContain(written)
  })

  it('refuses a body that does not fit the schema of a queue that checks every send', async () => {
    const { ask } = await serve()
    const bodySchema = { type: 'object', required: ['to'] }
    await ask('POST', '/v1/queues', { name: 'checked', settings: { bodySchema, bodyCheck: 'all' } })
    for (const [path, body] of [
      ['messages', { body: {} }],
      ['messages/batch', { messages: [{ body: { to: 'ada' } }, { body: {} }] }],
    ] as const) {
      const answer = await ask('POST', `/v1/queues/checked/${path}`, body)
      expect([answer.status, answer.json()]).toMatchObject([422, { id: 'BodyMismatch' }])
    }
    expect((await ask('POST', '/v1/queues/checked/messages', { body: { to: 'ada' } })).status).toBe(200)
  })

  it('carries messages from creation of a queue to their acknowledgement', async () => {
    const { ask } = await serve()
    expect(
      (
        await ask('POST', '/v1/queues', { name: 'mail', settings: { retriesMax: 1, deadLetter: 'dlq' } })
      ).json(),
    ).toEqual({ name: 'mail', created: true })
    const sent = (
      await ask('POST', '/v1/queues/mail/messages', { body: { to: 'ada' }, attributes: { a: 'b' } })
    ).json() as { messageId: string }
    const batch = (
      await ask('POST', '/v1/queues/mail/messages/batch', {
        messages: [{ body: 'text' }, { bodyBase64: '/wA=' }],
      })
    ).json() as { messageIds: string[] }
    const { messages } = (await ask('POST', '/v1/queues/mail/receive', { max: 10 })).json() as Received
    expect(messages).toMatchObject([
      {
        id: sent.messageId,
        body: { to: 'ada' },
        attributes: { a: 'b' },
        contentType: 'application/json',
        attempt: 1,
      },
      { id: batch.messageIds[0], body: 'text', contentType: 'text/plain' },
      { id: batch.messageIds[1], bodyBase64: '/wA=' },
    ])
    const [first, second, third] = messages.map(({ receipt }) => receipt)
    expect((await ask('POST', '/v1/messages/ack', { receipts: [first, 'nonsense'] })).json()).toMatchObject({
      results: [{ receipt: first }, { receipt: 'nonsense', error: { id: 'InvalidReceipt' } }],
    })
    expect(
      (await ask('POST', '/v1/messages/extend', { receipts: [second], leaseMs: 60_000 })).json(),
    ).toEqual({ results: [{ receipt: second }] })
    expect((await ask('POST', '/v1/messages/release', { receipts: [second] })).json()).toEqual({
      results: [{ receipt: second }],
    })
    expect(
      (await ask('POST', '/v1/messages/dead-letter', { receipts: [third], error: 'odd' })).json(),
    ).toEqual({ results: [{ receipt: third }] })
    const again = (await ask('POST', '/v1/queues/mail/receive', {})).json() as Received
    expect(again.messages).toMatchObject([{ body: 'text', attempt: 1 }])
    await ask('POST', '/v1/messages/retry', { receipts: [again.messages[0]!.receipt], delayMs: 0 })
    expect((await ask('GET', '/v1/queues/mail')).json()).toMatchObject({
      name: 'mail',
      config: { retriesMax: 1, deadLetter: { name: 'dlq' } },
      counts: { committed: 1, deadLettered: 1, available: 1 },
    })
  })

  it('gives messages back with a delay and holds their subscription, which is shown until it is resumed', async () => {
    const { ask } = await serve()
    await client.queues.create('mail')
    await client.sendBatch('mail', [{ body: 'a' }, { body: 'b' }])
    const take = async (max: number) =>
      ((await ask('POST', '/v1/queues/mail/receive', { max, waitMs: 0 })).json() as Received).messages
    const [first] = await take(1)
    const { receipt } = first!
    const release = (options: object) =>
      ask('POST', '/v1/messages/release', { receipts: [receipt], ...options })
    const refused = await release({ holdSubscription: true })
    expect([refused.status, refused.json()]).toMatchObject([400, { id: 'InvalidArgument' }])
    const given = { delayMs: 3_600_000, error: 'HTTP 429', holdSubscription: true }
    expect((await release(given)).json()).toEqual({ results: [{ receipt }] })
    expect(await take(10)).toEqual([])
    const shown = (await ask('GET', '/v1/queues/mail')).json() as {
      subscriptions: { hold?: { since: number; until: number; error: string } }[]
    }
    expect(shown).toMatchObject({ counts: { waitingRetry: 1, available: 1 } })
    const { since, until, error } = shown.subscriptions[0]!.hold!
    expect([until - since, error]).toEqual([3_600_000, 'HTTP 429'])
    expect((await ask('GET', '/metrics')).text).toContain('kiroku_delivery_paused{queue="mail"} 1\n')
    await ask('POST', '/v1/queues/mail/resume')
    expect((await ask('GET', '/metrics')).text).toContain('kiroku_delivery_paused{queue="mail"} 0\n')
    expect(await take(10)).toMatchObject([{ body: 'b', attempt: 1 }])
  })

  it('recalls and reschedules messages that are not due yet, and records who did it', async () => {
    const { ask } = await serve()
    await ask('POST', '/v1/queues', { name: 'later' })
    const { messageIds } = (
      await ask('POST', '/v1/queues/later/messages/batch', {
        messages: [{ body: 'never' }, { body: 'now' }],
        delayMs: 3_600_000,
      })
    ).json() as { messageIds: string[] }
    const [never, now] = messageIds.map((id) => `/v1/messages/${id}`)
    expect((await ask('POST', `${never}/recall`)).status).toBe(204)
    expect((await ask('POST', `${now}/reschedule`, { delayMs: 0 })).status).toBe(204)
    const { messages } = (await ask('POST', '/v1/queues/later/receive', { max: 10 })).json() as Received
    expect(messages).toMatchObject([{ body: 'now' }])
    const { steps } = (await ask('GET', `${never}/trace`)).json() as Trace
    expect(steps.at(-1)).toMatchObject({ event: 'Recalled', by: { name: 'local' } })
    expect(await ask('POST', `${now}/recall`)).toMatchObject({ status: 409 })
    expect((await ask('POST', `${now}/reschedule`, {})).json()).toMatchObject({ id: 'InvalidArgument' })
    expect((await ask('POST', '/v1/messages/abc-0-1-1/recall')).json()).toMatchObject({
      id: 'UnknownMessage',
    })
  })

  it('cancels a receive whose caller disconnected', async () => {
    const { api } = await serve()
    await client.queues.create('q')
    const gone = new AbortController()
    const receive = fetch(`${api.url}/v1/queues/q/receive`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"waitMs":60000}',
      signal: gone.signal,
    }).catch(() => 'gone')
    const polls = async () => (await client.queues.describe('q')).waitingPolls
    await expect.poll(polls).toBe(1)
    gone.abort()
    expect(await receive).toBe('gone')
    await expect.poll(polls).toBe(0)
    await client.send('q', 'x')
    expect(await client.receive('q')).toMatchObject([{ attempt: 1 }])
  })
})
