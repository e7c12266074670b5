import { type Trace } from '@kiroku/audit'
import { describe, expect, it } from 'vitest'
import { engineForEach, serve, type Received } from '../testing/serveTestApi.ts'

engineForEach()

describe('queues over HTTP', () => {
  it('shows which message groups are blocked, and by what', async () => {
    const { ask } = await serve()
    await ask('POST', '/v1/queues', { name: 'grouped', settings: { groups: 'ordered' } })
    for (const group of ['b', 'a', 'a'])
      await ask('POST', '/v1/queues/grouped/messages', { body: 'x', group })
    await ask('POST', '/v1/queues/grouped/receive', { max: 1 })
    const all = (await ask('GET', '/v1/queues/grouped/groups')).json() as { readonly total: number }
    expect(all).toMatchObject({
      total: 2,
      groups: [
        { group: 'a', waiting: 2 },
        { group: 'b', inflight: 1 },
      ],
    })
    await ask('POST', '/v1/queues/grouped/messages', { body: 'y', group: 'b' })
    expect((await ask('GET', '/v1/queues/grouped/groups?limit=1')).json()).toMatchObject({
      total: 2,
      groups: [{ group: 'b', waiting: 1, inflight: 1, blockedBy: { number: 1, state: 'Inflight' } }],
    })
    expect((await ask('GET', '/v1/queues/grouped/groups?limit=x')).status).toBe(400)
  })

  it('names queues a page at a time, and only those that the caller may know of', async () => {
    const tokens = 'ann:admin:the-token-of-ann,oli:viewer@b*:the-token-of-oli'
    const { ask } = await serve(tokens)
    const as = (who: string) => ({ authorization: `Bearer the-token-of-${who}` })
    for (const name of ['b1', 'c', 'a', 'b2', 'b3']) await ask('POST', '/v1/queues', { name }, as('ann'))
    const page = async (query: string, who = 'ann') =>
      (await ask('GET', `/v1/queue-names${query}`, undefined, as(who))).json()
    expect(await page('')).toEqual({ names: ['a', 'b1', 'b2', 'b3', 'c'], isMore: false })
    expect(await page('?limit=2&after=b1')).toEqual({ names: ['b2', 'b3'], isMore: true })
    expect(await page('?prefix=b')).toEqual({ names: ['b1', 'b2', 'b3'], isMore: false })
    expect(await page('?limit=2', 'oli')).toEqual({ names: ['b1', 'b2'], isMore: true })
    expect(await page('?limit=2&after=b2', 'oli')).toEqual({ names: ['b3'], isMore: false })
    for (const limit of ['0', '1001', 'x'])
      expect(await page(`?limit=${limit}`)).toMatchObject({ id: 'InvalidArgument' })
  })

  it('refuses a parameter that it does not have, and names the one meant', async () => {
    const { ask } = await serve()
    const refusal = async (path: string) => {
      const answer = await ask('GET', path)
      return [answer.status, (answer.json() as { readonly message: string }).message]
    }
    expect(await refusal('/v1/queue-names?limt=2')).toEqual([
      400,
      'there is no parameter "limt" here. Did you mean "limit"?',
    ])
    expect(await refusal('/v1/queue-names?queue=a')).toEqual([
      400,
      'there is no parameter "queue" here; there are prefix, after, limit',
    ])
    expect(await refusal('/v1/queues?prefix=a')).toEqual([400, 'there is no parameter "prefix" here'])
  })

  it('says of a body that does not fit which field is meant, missing, or of another kind', async () => {
    const { ask } = await serve()
    await ask('POST', '/v1/queues', { name: 'jobs' })
    const refusal = async (path: string, body: unknown, method: 'POST' | 'PATCH' = 'POST') => {
      const answer = await ask(method, path, body)
      return [answer.status, (answer.json() as { readonly message: string }).message]
    }
    expect(await refusal('/v1/queues/jobs/messages', { body: 'x', delay: 5 })).toEqual([
      400,
      'there is no field "delay" here. Did you mean "delayMs"?',
    ])
    const messages = [{ body: 'x' }, { body: 'y', delay: 5 }]
    expect(await refusal('/v1/queues/jobs/messages/batch', { messages })).toEqual([
      400,
      'there is no field "messages[1].delay" here. Did you mean "delayMs"?',
    ])
    expect(await refusal('/v1/queues/jobs/messages', { body: 'x', delayMs: '5' })).toEqual([
      400,
      'delayMs must be a number',
    ])
    expect(await refusal('/v1/queues', {})).toEqual([400, 'name is missing'])
    expect(await refusal('/v1/queues', [])).toEqual([400, 'the request must be an object'])
    expect(await refusal('/v1/queues/jobs/subscriptions/s/reset', { start: 5 })).toEqual([
      400,
      'start must be "latest", "earliest", { "number": … } or { "time": … }',
    ])
    expect(await refusal('/v1/queues/jobs/subscriptions/s/reset', { start: 'first' })).toEqual([
      400,
      'start must be "latest" or "earliest"',
    ])
    expect(await refusal('/v1/queues/jobs', { retry: 5 }, 'PATCH')).toEqual([
      400,
      'retry must be an object such as { "kind": "fixed", "delayMs": 1000 }, of kind fixed, exponential, list or rocketmq',
    ])
  })

  it('administers queues, and the record names who did it, from where and why', async () => {
    const { ask } = await serve('ann:admin:the-token-of-ann')
    const headers = { authorization: 'Bearer the-token-of-ann', 'x-kiroku-reason': 'too many' }
    await ask('POST', '/v1/queues', { name: 'acts' }, headers)
    const { messageId } = (await ask('POST', '/v1/queues/acts/messages', { body: 'x' }, headers)).json() as {
      messageId: string
    }
    expect((await ask('PATCH', '/v1/queues/acts', { leaseMs: 5_000 }, headers)).json()).toMatchObject({
      config: { leaseMs: 5_000 },
    })
    expect((await ask('POST', '/v1/queues/acts/pause', undefined, headers)).status).toBe(204)
    expect((await ask('GET', '/v1/queues', undefined, headers)).json()).toMatchObject({
      queues: [{ name: 'acts', deliveryPaused: true }],
    })
    expect((await ask('POST', '/v1/queues/acts/resume', undefined, headers)).status).toBe(204)
    expect((await ask('POST', '/v1/queues/acts/purge', undefined, headers)).json()).toEqual({ purged: 1 })
    const { steps } = (
      await ask('GET', `/v1/messages/${messageId}/trace`, undefined, headers)
    ).json() as Trace
    expect(steps.at(-1)).toMatchObject({
      event: 'QueuePurged',
      by: { name: 'ann', origin: 'http 127.0.0.1', reason: 'too many' },
    })
    expect((await ask('DELETE', '/v1/queues/acts', undefined, headers)).status).toBe(204)
    expect((await ask('GET', '/v1/queues/acts', undefined, headers)).json()).toMatchObject({
      id: 'UnknownQueue',
    })
  })

  it('carries subscriptions from their creation to their end', async () => {
    const { ask } = await serve()
    await ask('POST', '/v1/queues', { name: 'orders' })
    const path = '/v1/queues/orders/subscriptions'
    const settings = { tags: ['eu'], deadLetter: 'eu-dlq' }
    expect((await ask('POST', path, { name: 'eu', settings })).json()).toEqual({ name: 'eu', created: true })
    expect((await ask('PATCH', `${path}/eu`, { retriesMax: 1 })).status).toBe(204)
    await ask('POST', '/v1/queues/orders/messages', { body: 'a', tag: 'eu' })
    await ask('POST', '/v1/queues/orders/messages', { body: 'b', tag: 'us' })
    const receive = async () =>
      (await ask('POST', '/v1/queues/orders/receive', { subscription: 'eu', max: 10 })).json() as Received
    expect((await receive()).messages).toMatchObject([{ body: 'a', tag: 'eu' }])
    expect((await ask('GET', '/v1/queues/orders')).json()).toMatchObject({
      subscriptions: [
        { name: 'main', counts: { available: 2 } },
        { name: 'eu', settings: { tags: ['eu'] }, config: { retriesMax: 1, deadLetter: { name: 'eu-dlq' } } },
      ],
    })
    const own = ['1', '2'].map((digit) => `replies-0000000${digit}-0000-4000-8000-000000000000`)
    for (const name of own) {
      await ask('POST', '/v1/queues', { name })
      await ask('POST', `/v1/queues/${name}/messages`, { body: 'x' })
    }
    const { text } = await ask('GET', '/metrics')
    expect(text).toContain('kiroku_messages{queue="replies-*",state="Available"} 2\n')
    expect(text).not.toContain('replies-0')
    expect(text).toContain('kiroku_messages{queue="orders",state="Delayed"} 0\n')
    expect(text).toContain('kiroku_messages{queue="orders",subscription="main",state="Available"} 2\n')
    expect(text).toContain(
      'kiroku_messages_final_total{queue="orders",subscription="eu",state="Discarded"} 1\n',
    )
    for (const act of ['pause', 'resume']) expect((await ask('POST', `${path}/eu/${act}`)).status).toBe(204)
    expect((await ask('POST', `${path}/eu/reset`, { start: 'earliest' })).status).toBe(204)
    await expect.poll(async () => (await receive()).messages).toMatchObject([{ body: 'a' }])
    expect((await ask('POST', path, { name: 'late', start: { number: 9 } })).json()).toMatchObject({
      id: 'InvalidArgument',
    })
    expect((await ask('DELETE', `${path}/eu`)).status).toBe(204)
    expect((await ask('POST', `${path}/eu/pause`)).json()).toMatchObject({ id: 'UnknownSubscription' })
  })
})
