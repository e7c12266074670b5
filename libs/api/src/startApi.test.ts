import {
  batchCosts,
  LetterSelector,
  readDeadLetters,
  diffMoments,
  encodeRecording,
  gatherDeadLetters,
  recordingOf,
  logAt,
  spanOf,
  stateAt,
  trace,
  type LogSpan,
  type Trace,
} from '@kiroku/audit'
import { Replayer } from '@kiroku/audit/replay'
import { createClient, inProcess, type Client } from '@kiroku/client'
import { parseTokens, type OpenDoor } from '@kiroku/doors'
import { KirokuError, limits } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import { decodeCheckpoint, startMemoryEngine, type MemoryEngine } from '@kiroku/testkit/engine'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ApiSources } from './ApiSources.ts'
import { startApi } from './startApi.ts'
import { unusedTestSources } from './unusedTestSources.ts'

let engine: MemoryEngine
let client: Client
let notReady: string | undefined
let warnings: readonly string[] = []
const apis: OpenDoor[] = []

beforeEach(async () => {
  engine = await startMemoryEngine()
  client = createClient(inProcess(engine.node()))
  notReady = undefined
  warnings = []
})

afterEach(async () => {
  for (const api of apis.splice(0)) await api.close()
  await client.close()
  await engine.close()
})

const serve = async (tokens = '', other: Partial<ApiSources> = {}) => {
  const defects: [error: unknown, request: string][] = []
  const sources = {
    ...unusedTestSources,
    client,
    trace: (id: string) => trace(engine.log, id),
    look: {
      stateAt: (queue: string, { at }: { at?: string }) =>
        stateAt(engine.log, queue, { seq: Number(at) }, { decodeCheckpoint, now: Date.now() }),
      batches: (queue: string, asked: { subscription?: string }) =>
        batchCosts(engine.log, queue, { decodeCheckpoint, now: Date.now(), ...asked }),
      logAt: ({ at }: { at?: string }) =>
        logAt(engine.log, { time: Number(at) }, { decodeCheckpoint, now: Number(at) }),
      recording: async (queue: string, { from, state }: { from?: string; state?: string }) =>
        encodeRecording(
          await recordingOf(
            engine.log,
            queue,
            { seq: Number(from) },
            { decodeCheckpoint, now: Date.now(), withState: state === '1' },
          ),
        ),
      span: ({ queue }: { queue?: string }) => spanOf(engine.log, queue, { decodeCheckpoint }),
      diff: (queue: string, { a, b }: { a: string; b?: string }) =>
        diffMoments(
          engine.log,
          queue,
          { seq: Number(a) },
          { seq: Number(b) },
          { decodeCheckpoint, now: Date.now() },
        ),
    },
    search: {
      messages: (asked: object) => Promise.resolve({ messages: [], asked } as never),
      acts: (asked: object) => Promise.resolve({ acts: [], asked } as never),
      history: (asked: object) => Promise.resolve({ buckets: [], asked } as never),
    },
    deadLetters: {
      list: (queue: string, asked: { readonly subscription?: string }) =>
        gatherDeadLetters(engine.log, queue, { decodeCheckpoint, ...asked }),
      select: async (queue: string, { group }: { readonly group?: string }) => {
        const picked = new LetterSelector(queue, { group: group! })
        await readDeadLetters(engine.log, queue, { decodeCheckpoint }, (letter) => picked.accept(letter))
        return picked.parts(limits.redriveRangesMax)[0] ?? []
      },
    },
    clusterStatus: () => Promise.resolve({ nodes: 1 } as never),
    metrics: () => [
      { type: 'gauge', name: 'engine_own', help: 'x', samples: [{ labels: {}, value: 1 }] } as const,
    ],
    ownedPartitions: () => new Set([0, 1]),
    notReady: () => notReady,
    warnings: () => warnings,
    ...other,
  }
  const api = await startApi(sources, {
    host: '127.0.0.1',
    port: 0,
    tokens: parseTokens(tokens),
    bodyBytesMax: 10_000,
    drainMs: 200,
    onDefect: (...told) => defects.push(told),
  })
  apis.push(api)
  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(api.url + path, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const json = (): never => JSON.parse(text) as never
    return { status: response.status, headers: response.headers, text, json }
  }
  return { api, ask, defects }
}

/** The bodies in a queue as they are stored; they are given back. */
const texts = async (queue: string): Promise<string[]> => {
  const messages = await client.receive(queue, { max: 10 })
  await client.release(messages.map(({ receipt }) => receipt))
  return messages.map(({ body }) => new TextDecoder().decode(body))
}

interface Received {
  readonly messages: {
    readonly id: string
    readonly receipt: string
    readonly body?: unknown
    readonly attempt: number
  }[]
}

describe('the HTTP API', () => {
  it('shows a queue as it was, and what became another', async () => {
    const { api, ask } = await serve()
    await ask('POST', '/v1/queues', { name: 'past' })
    const { messageId } = (await ask('POST', '/v1/queues/past/messages', { body: 'x' })).json() as {
      messageId: string
    }
    const { steps } = (await ask('GET', `/v1/messages/${messageId}/trace`)).json() as Trace
    const { seq, at } = steps[0]!
    const whole = await ask('GET', `/v1/state?at=${at}`)
    expect(whole.json()).toMatchObject({ at, queues: [{ queue: 'past', counts: { sent: 1 } }] })
    const span = (await ask('GET', '/v1/span?queue=past')).json() as LogSpan
    const recorded = await fetch(`${api.url}/v1/queues/past/recording?from=${seq}&state=1`)
    expect(recorded.headers.get('content-type')).toBe('application/octet-stream')
    expect(recorded.headers.get('content-encoding')).toBe('gzip')
    const replayer = Replayer.open(new Uint8Array(await recorded.arrayBuffer()))
    expect(replayer.queue('past')).toMatchObject({ at, population: { Available: 1 } })
    const refused = await ask('GET', `/v1/queues/past/recording?from=${seq + 100}`)
    expect(refused.json()).toMatchObject({ id: 'FutureMoment' })
    expect(span.partitions.find(({ partition }) => partition === span.home)!.to).toMatchObject({ at })
    const state = await ask('GET', `/v1/queues/past/state?at=${seq}`)
    expect(state).toMatchObject({ status: 200 })
    expect(state.json()).toMatchObject({ counts: { available: 1 }, messages: [{ messageId }] })
    const diff = await ask('GET', `/v1/queues/past/diff?a=${seq - 1}&b=${seq}`)
    expect(diff.json()).toMatchObject({ appeared: { total: 1, messages: [{ messageId }] } })
    expect((await ask('GET', `/v1/queues/past/state?at=${seq + 1}`)).json()).toMatchObject({
      id: 'FutureMoment',
    })
    expect((await ask('GET', '/v1/queues/past/diff')).json()).toMatchObject({ id: 'InvalidArgument' })
  })

  it('tells which message groups are held up, and by what', async () => {
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

  it('tells how long messages waited and were worked on', async () => {
    const { ask } = await serve()
    await ask('POST', '/v1/queues', { name: 'timed' })
    const before = (await ask('GET', '/v1/queues/timed')).json()
    expect(before).not.toHaveProperty('times')
    await ask('POST', '/v1/queues/timed/messages', { body: 'x' })
    const { messages } = (await ask('POST', '/v1/queues/timed/receive', {})).json() as Received
    await ask('POST', '/v1/messages/ack', { receipts: messages.map(({ receipt }) => receipt) })
    const measured = { count: 1, p50Ms: expect.any(Number), p99Ms: expect.any(Number) }
    const { times } = (await ask('GET', '/v1/queues/timed')).json() as { readonly times?: unknown }
    expect(times).toEqual({ waiting: measured, processing: measured })
  })

  it('tells how full batches were, and what other settings would have cost', async () => {
    const { ask } = await serve()
    await ask('POST', '/v1/queues', { name: 'batched', settings: { batchMessages: 2 } })
    for (const body of ['a', 'b', 'c']) await ask('POST', '/v1/queues/batched/messages', { body })
    await ask('POST', '/v1/queues/batched/receive', { max: 2 })
    await ask('POST', '/v1/queues/batched/receive', { max: 2 })
    const { subscriptions } = (await ask('GET', '/v1/queues/batched')).json() as {
      readonly subscriptions: readonly { readonly batches?: unknown }[]
    }
    expect(subscriptions[0]!.batches).toEqual({
      deliveries: 2,
      messages: 3,
      messagesMax: 2,
      waited: { count: 3, p50Ms: 0, p99Ms: 0 },
    })
    expect((await ask('GET', '/v1/queues/batched/batches')).json()).toMatchObject({
      queue: 'batched',
      subscriptions: [
        {
          subscription: 'main',
          delivered: { deliveries: 2, messages: 3, messagesPerDelivery: 1.5, deliveriesPer1000: 666.7 },
          replayed: expect.arrayContaining([
            expect.objectContaining({
              batchMessages: 1,
              batchWaitMs: 0,
              isSet: false,
              deliveriesPer1000: 1_000,
            }),
          ]),
        },
      ],
    })
    expect((await ask('GET', '/v1/queues/batched/batches?subscription=none')).status).toBe(404)
  })

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

  it('refuses a body that does not fit the schema of a queue that checks all', async () => {
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

  it('recalls and moves messages that are not due yet, and says who did it', async () => {
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

  it('administers queues, and the record names who did it, from where and why', async () => {
    const { ask } = await serve('ann:admin:token-of-ann')
    const headers = { authorization: 'Bearer token-of-ann', 'x-kiroku-reason': 'too many' }
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

  it('redrives dead letters, tells how far it is, and the record names who asked', async () => {
    const { ask } = await serve('olga:operator:token-of-olga,ann:admin:token-of-ann')
    const as = (name: string) => ({ authorization: `Bearer token-of-${name}` })
    const settings = { retriesMax: 0, deadLetter: 'dlq' }
    await ask('POST', '/v1/queues', { name: 'orders', settings }, as('ann'))
    for (const body of ['a', 'b']) {
      await ask('POST', '/v1/queues/orders/messages', { body }, as('olga'))
      const { messages } = (await ask('POST', '/v1/queues/orders/receive', {}, as('olga'))).json() as Received
      const receipts = messages.map(({ receipt }) => receipt)
      await ask('POST', '/v1/messages/dead-letter', { receipts, error: `no ${body}` }, as('olga'))
    }
    await waitUntil(async () => (await client.queues.describe('dlq')).counts.available === 2)
    const path = '/v1/queues/dlq/redrives'
    const filter = { error: 'no b' }
    expect((await ask('POST', path, { filter, dryRun: true }, as('olga'))).json()).toMatchObject({
      state: 'completed',
      dryRun: true,
      moved: 1,
      filtered: 1,
      targets: [{ queue: 'orders', moved: 1 }],
    })
    expect((await ask('POST', path, { filter, rateMax: 5 }, as('olga'))).json()).toMatchObject({
      task: 1,
      filter,
      rateMax: 5,
      by: { name: 'olga' },
    })
    const list = async () =>
      (await ask('GET', path, undefined, as('olga'))).json() as { redrives: Record<string, unknown>[] }
    await waitUntil(async () => (await list()).redrives[0]!['state'] === 'completed')
    expect((await list()).redrives).toMatchObject([
      { task: 1, moved: 1 },
      { task: 0, dryRun: true },
    ])
    expect((await ask('POST', `${path}/cancel`, {}, as('olga'))).json()).toMatchObject({
      id: 'UnknownRedrive',
    })
    expect((await ask('POST', path, { filter: { colour: 'red' } }, as('olga'))).status).toBe(400)
    expect((await ask('POST', path, { to: 'dlq' }, as('olga'))).json()).toMatchObject({
      id: 'InvalidArgument',
    })
  })

  it('admits each role to what it may do', async () => {
    const { ask } = await serve('vic:viewer:token-of-vic,olga:operator:token-of-olga,ann:admin:token-of-ann')
    const statuses = async (method: string, path: string, body?: unknown) =>
      Promise.all(
        ['', 'wrong-token', 'token-of-vic', 'token-of-olga', 'token-of-ann'].map(async (token) => {
          const { status } = await ask(
            method,
            path,
            body,
            token === '' ? {} : { authorization: `Bearer ${token}` },
          )
          return status
        }),
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
    ['a wrong type', 'POST', '/v1/queues', { name: 5 }, 400, 'InvalidArgument', /\["name"\]/],
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
      'bytes that are no base64',
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
    [
      'an id that is none',
      'GET',
      '/v1/messages/nonsense/trace',
      undefined,
      400,
      'InvalidArgument',
      /nonsense/,
    ],
    ['a path that is none', 'GET', '/v2/queues', undefined, 404, 'InvalidArgument', /GET \/v2\/queues/],
  ])('answers %s with an error of ours', async (_, method, path, body, status, id, message) => {
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

  it('answers another content type with what it takes', async () => {
    const { ask } = await serve()
    const answer = await ask('POST', '/v1/queues', '<q/>', { 'content-type': 'text/xml' })
    expect(answer.status).toBe(400)
    expect(answer.json()).toMatchObject({
      id: 'InvalidArgument',
      message: 'send the body as content-type: application/json',
    })
  })

  it('reports a defect once and does not show it', async () => {
    const secret = new Error('a detail')
    const { ask, defects } = await serve('', { clusterStatus: () => Promise.reject(secret) })
    const answer = await ask('GET', '/v1/cluster')
    expect(answer.status).toBe(500)
    expect(answer.json()).toMatchObject({ id: 'Internal' })
    expect(answer.text).not.toContain('a detail')
    expect(defects).toEqual([[secret, 'GET /v1/cluster']])
  })

  it('reports an error of ours that no caller can help, and shows it', async () => {
    const damage = new KirokuError('LogDamaged', 'record 7 is gone')
    const { ask, defects } = await serve('', { clusterStatus: () => Promise.reject(damage) })
    const answer = await ask('GET', '/v1/cluster')
    expect([answer.status, answer.json()]).toMatchObject([500, { id: 'LogDamaged', message: damage.message }])
    expect(defects).toEqual([[damage, 'GET /v1/cluster']])
  })

  it('reports an answer that its schema refuses, with the queue and the field, and hides no other queue', async () => {
    for (const name of ['a', 'b', 'c']) await client.queues.create(name)
    const { queues } = await client.queues.survey()
    const spoilt = queues.map((queue) =>
      queue.name === 'b' ? { ...queue, counts: { ...queue.counts, committed: Number.NaN } } : queue,
    )
    const { ask, defects } = await serve('', {
      client: {
        queues: {
          survey: () => Promise.resolve({ queues: spoilt, missing: [] }),
          describe: () => Promise.resolve(spoilt[1]!),
        },
      } as never,
    })
    const list = await ask('GET', '/v1/queues')
    expect(list.status).toBe(200)
    expect(list.json()).toMatchObject({
      queues: [{ name: 'a' }, { name: 'c' }],
      missing: [
        { queue: 'b', problem: { id: 'Internal', message: expect.stringContaining('"b"') as string } },
      ],
    })
    const alone = await ask('GET', '/v1/queues/b')
    expect([alone.status, alone.json()]).toMatchObject([500, { id: 'Internal' }])
    expect(defects.map(([error, request]) => [(error as Error).message, request])).toEqual([
      [
        expect.stringMatching(/^queue "b" does not fit its schema: .*\["counts"\]\["committed"\]/),
        'GET /v1/queues',
      ],
      [expect.stringMatching(/^the answer does not fit .*\["counts"\]\["committed"\]/), 'GET /v1/queues/b'],
    ])
  })

  it('reports what fails beside the API, and answers JSON there too', async () => {
    const broken = new Error('no metrics')
    const fail = (): never => {
      throw broken
    }
    const { ask, defects } = await serve('', { metrics: fail, notReady: fail })
    for (const path of ['/metrics', '/health/ready']) {
      const answer = await ask('GET', path)
      expect([answer.status, answer.json()]).toMatchObject([500, { id: 'Internal' }])
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    }
    expect(defects).toEqual([
      [broken, 'GET /metrics'],
      [broken, 'GET /health/ready'],
    ])
  })

  it.each([
    [
      'a number of many digits',
      '/v1/queues/q/messages',
      (deep: string) => `{"body":[12345678901234567890,${deep}]}`,
    ],
    ['several messages', '/v1/queues/q/messages/batch', (deep: string) => `{"messages":[{"body":${deep}}]}`],
    ['settings', '/v1/queues', (deep: string) => `{"name":"r","settings":{"bodySchema":{"x":${deep}}}}`],
  ])('refuses JSON that is nested too deep: %s', async (_, path, around) => {
    const { ask, defects } = await serve()
    await client.queues.create('q')
    const answer = await ask('POST', path, around('['.repeat(3_000) + ']'.repeat(3_000)))
    expect([answer.status, answer.json()]).toMatchObject([
      400,
      { id: 'InvalidArgument', message: 'the JSON goes deeper than 1000 levels' },
    ])
    expect(defects).toEqual([])
  })

  it('takes JSON of as many levels as it says, and brackets in text without counting them', async () => {
    const { ask } = await serve()
    await client.queues.create('q')
    const deep = `${'['.repeat(998)}12345678901234567890${']'.repeat(998)}`
    const bodies = [deep, JSON.stringify('\\"' + '['.repeat(3_000))]
    for (const body of bodies)
      expect((await ask('POST', '/v1/queues/q/messages', `{"body":[${body}]}`)).status).toBe(200)
    const received = await ask('POST', '/v1/queues/q/receive', { max: 2 })
    for (const body of bodies) expect(received.text).toContain(`"body":[${body}]`)
  })

  it('delivers JSON from another client that is nested too deep as the text it is', async () => {
    const { ask, defects } = await serve()
    await client.queues.create('q')
    const deep = '['.repeat(4_000) + ']'.repeat(4_000)
    await client.send('q', deep, { contentType: 'application/json' })
    const { messages } = (await ask('POST', '/v1/queues/q/receive', {})).json() as Received
    expect(messages).toMatchObject([{ body: deep }])
    expect(defects).toEqual([])
  })

  it('refuses what a web page of somebody else sends to an API without tokens', async () => {
    const { ask } = await serve()
    await client.queues.create('q')
    const answer = await ask('POST', '/v1/queues/q/purge', undefined, { origin: 'https://example.org' })
    expect([answer.status, answer.json()]).toMatchObject([403, { id: 'Forbidden' }])
  })

  it('shows dead letters in groups, and redrives those that are selected, with the reason', async () => {
    const { ask } = await serve()
    await client.queues.create('jobs', { deadLetter: 'dead' })
    for (const body of ['a', 'b', 'c']) await client.send('jobs', body)
    for (const message of await client.receive('jobs', { max: 3 })) await message.deadLetter('no stock')
    await expect.poll(async () => (await client.queues.describe('dead')).counts.available).toBe(3)
    const answer = await ask('GET', '/v1/queues/dead/dead-letters')
    expect(answer.json()).toMatchObject({
      queue: 'dead',
      count: 3,
      groups: [{ count: 3, cause: 'onPurpose', error: 'no stock', payload: { text: 'c' } }],
    })
    expect((await ask('GET', '/v1/queues/none/dead-letters')).status).toBe(404)
    const unknown = await ask('GET', '/v1/queues/dead/dead-letters?subscription=none')
    expect(unknown.json()).toMatchObject({ id: 'UnknownSubscription' })
    const begun = await ask('POST', '/v1/queues/dead/redrives', { selection: [2, 2], reason: 'it is back' })
    expect(begun.json()).toMatchObject({ selected: 2, by: { reason: 'it is back' } })
    await expect.poll(async () => (await client.queues.describe('jobs')).counts.available).toBe(2)
    expect((await ask('POST', '/v1/queues/dead/redrives', { selection: [2] })).status).toBe(400)
    const none = { group: 'no such group' }
    const dry = await ask('POST', '/v1/queues/dead/redrives', { ...none, dryRun: true })
    expect(dry.json()).toMatchObject({ state: 'completed', selected: 0, moved: 0, skipped: {}, left: 0 })
    expect((await ask('POST', '/v1/queues/dead/redrives', none)).status).toBe(400)
    const { groups } = answer.json() as { groups: { group: string; samples: string[] }[] }
    const [{ group, samples }] = groups as [{ group: string; samples: string[] }]
    const edit = await ask('POST', `/v1/messages/${samples[2]}/body`, { body: { n: 1 }, reason: 'a mistake' })
    expect(edit.json()).toEqual({ queue: 'dead', number: 1, isEdited: true })
    expect((await ask('POST', `/v1/messages/${samples[2]}/body`, {})).status).toBe(400)
    const rest = await ask('POST', '/v1/queues/dead/redrives', { group })
    expect(rest.json()).toMatchObject({ selected: 1 })
    await expect.poll(async () => (await client.queues.describe('jobs')).counts.available).toBe(3)
    const back = await client.receive('jobs', { max: 3 })
    expect(back.map((message) => message.text())).toEqual(['b', 'c', '{"n":1}'])
  })

  it('cancels a receive whose caller went away', async () => {
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

describe('closing the API', () => {
  it('ends a receive that waits, without a message', async () => {
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

  it('has it among metrics too; other answers have none', async () => {
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

describe('beside the API', () => {
  it('health is ready with a warning, and says it', async () => {
    const { ask } = await serve()
    warnings = ['the clocks disagree']
    const answer = await ask('GET', '/health/ready')
    expect([answer.status, answer.json()]).toEqual([200, { status: 'ready', warnings }])
  })

  it('takes the word of an admin which clock is right, and steps nowhere where they agree', async () => {
    const { ask } = await serve('olga:operator:token-of-olga,ann:admin:token-of-ann')
    const say = (token: string, body: object) =>
      ask('POST', '/v1/cluster/clock', body, { authorization: `Bearer ${token}` })
    expect((await say('token-of-olga', { accept: 'store' })).status).toBe(403)
    expect((await say('token-of-ann', { accept: 'sundial' })).status).toBe(400)
    expect((await say('token-of-ann', { accept: 'node', partition: 9 })).status).toBe(400)
    const answer = await say('token-of-ann', { accept: 'node', partition: 1, reason: 'NTP' })
    expect([answer.status, answer.json()]).toEqual([200, { steps: [{ partition: 1, steppedMs: 0 }] }])
  })

  it('health tells life from readiness', async () => {
    const { ask } = await serve()
    expect((await ask('GET', '/health/ready')).status).toBe(200)
    notReady = 'stopping'
    const answer = await ask('GET', '/health/ready')
    expect([answer.status, answer.json()]).toEqual([503, { status: 'not ready', reason: 'stopping' }])
    expect((await ask('GET', '/health/live')).status).toBe(200)
  })

  it('metrics speak the text format, of queues and of the engine', async () => {
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

  it('the page of the API asks nobody else for anything', async () => {
    const { ask } = await serve()
    const { text, headers } = await ask('GET', '/docs')
    expect(text).not.toMatch(/<(script|link|img)[^>]+(src|href)="https?:/)
    expect(headers.get('content-security-policy')).toMatch(/default-src 'self'/)
    const document = (await ask('GET', '/openapi.json')).json() as { paths: object }
    expect(Object.keys(document.paths)).toContain('/v1/queues/{queue}/messages')
  })

  it('a taken port is PortInUse', async () => {
    const { api } = await serve()
    const options = { host: '127.0.0.1', port: Number(new URL(api.url).port), tokens: [], bodyBytesMax: 1 }
    await expect(startApi({} as never, options)).rejects.toMatchObject({ id: 'PortInUse' })
  })
})
