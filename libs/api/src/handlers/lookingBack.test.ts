import type { LogSpan, Trace } from '@kiroku/audit'
import { Replayer } from '@kiroku/audit/browser'
import { describe, expect, it } from 'vitest'
import { engineForEach, serve, type Received } from '../testing/serveTestApi.ts'

engineForEach()

describe('looking back over HTTP', () => {
  it('shows a queue as it was, and what changed', async () => {
    const { api, ask } = await serve()
    await ask('POST', '/v1/queues', { name: 'past' })
    const { messageId } = (await ask('POST', '/v1/queues/past/messages', { body: 'x' })).json() as {
      messageId: string
    }
    const { steps } = (await ask('GET', `/v1/messages/${messageId}/trace`)).json() as Trace
    const { seq, at } = steps[0]!
    const whole = await ask('GET', `/v1/state?at=${new Date(at).toISOString()}`)
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

  it('shows how long messages waited and were processed', async () => {
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

  it('shows how full batches were, and what other settings would have cost', async () => {
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
})
