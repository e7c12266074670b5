import { parseTokens, Tokens, type OpenDoor } from '@kiroku/doors'
import { FeedHub } from '@kiroku/feed'
import type { FeedUpdate, PartitionUpdate } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import * as Schema from 'effect/Schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FeedEvent } from '../definition/feed.ts'
import { startApi } from '../startApi.ts'
import { unusedTestDependencies } from '../testing/unusedTestDependencies.ts'

let hub: FeedHub
/** Readers of this test; one of an earlier test may still be leaving. */
let readers: Set<object>
let api: OpenDoor
const streams: AbortController[] = []

const serve = async (tokens = ''): Promise<void> => {
  const open = readers
  api = await startApi(
    {
      ...unusedTestDependencies,
      feed: {
        open: (options) => {
          const reader = hub.read(options)
          open.add(reader)
          return {
            take: () => reader.take(),
            onUpdate: (wake) => reader.onUpdate(wake),
            progress: () => hub.progress,
            close: () => void open.delete(reader),
          }
        },
      },
    },
    {
      host: '127.0.0.1',
      port: 0,
      tokens: new Tokens(parseTokens(tokens)),
      bodyBytesMax: 1_000,
      drainMs: 100,
    },
  )
}

beforeEach(() => {
  hub = new FeedHub('log', 1)
  readers = new Set()
})
afterEach(async () => {
  for (const stream of streams.splice(0)) stream.abort()
  await api.close()
})

const counts = {
  delayed: 0,
  available: 5,
  inflight: 0,
  waitingRetry: 0,
  sent: 5,
  committed: 0,
  deadLettered: 0,
}
const standing = (seq: number): PartitionUpdate => ({
  kind: 'standing',
  partition: 0,
  seq,
  at: 1_000 + seq,
  queues: [
    { id: 1, queue: 'mail', counts: { ...counts, discarded: 0, redelivered: 0 } },
    { id: 2, queue: 'other', counts: { ...counts, discarded: 0, redelivered: 0 } },
  ],
})
const delivered = (seq: number, queue = 'mail'): PartitionUpdate => ({
  kind: 'changes',
  partition: 0,
  seq,
  at: 1_000 + seq,
  queues: [
    {
      id: queue === 'mail' ? 1 : 2,
      queue,
      transitions: [{ from: 'Available', to: 'Inflight', count: 1 }],
      change: { available: -1, inflight: 1 },
    },
  ],
})

/** An event that has every field of the definition, and no others. */
const asDefined = Schema.decodeUnknownSync(FeedEvent, { onExcessProperty: 'error' })

/** Reads a stream of server-sent events; `events` grows. */
const listen = async (path: string, headers: Record<string, string> = {}) => {
  const stream = new AbortController()
  streams.push(stream)
  const response = await fetch(api.url + path, { headers, signal: stream.signal })
  const events: { event: string; id: string; data: FeedUpdate }[] = []
  const read = async (): Promise<void> => {
    let text = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const fields = Object.fromEntries(
          text
            .slice(0, end)
            .split('\n')
            .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const),
        )
        const { event, id, data } = asDefined(fields)
        events.push({ event, id, data: data as FeedUpdate })
        text = text.slice(end + 2)
      }
    }
  }
  if (response.ok) read().catch(() => {})
  return { response, events }
}

describe('the feed over HTTP', () => {
  it('begins with a snapshot, and continues with changes', async () => {
    await serve()
    hub.accept(standing(10))
    const { response, events } = await listen('/v1/feed')
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    await waitUntil(() => events.length === 1)
    expect(events[0]).toMatchObject({
      event: 'snapshot',
      id: 'log:10',
      data: {
        seqs: [10],
        silent: [],
        queues: [{ queue: 'mail', counts: { available: 5 } }, { queue: 'other' }],
      },
    })
    hub.accept(delivered(11))
    await waitUntil(() => events.length === 2)
    expect(events[1]).toMatchObject({
      event: 'changes',
      id: 'log:11',
      data: { silent: [], queues: [{ queue: 'mail', change: { available: -1, inflight: 1 } }] },
    })
  })

  it('shows one queue alone on request', async () => {
    await serve()
    hub.accept(standing(10))
    const { events } = await listen('/v1/queues/mail/feed')
    await waitUntil(() => events.length === 1)
    expect(events[0]!.data.queues.map(({ queue }) => queue)).toEqual(['mail'])
    hub.accept(delivered(11, 'other'))
    hub.accept(delivered(12))
    await waitUntil(() => events.length === 2)
    expect(events[1]!.data.queues.map(({ queue }) => queue)).toEqual(['mail'])
  })

  it('adds up what happens more often than ten times per second', async () => {
    await serve()
    hub.accept(standing(0))
    const { events } = await listen('/v1/feed')
    await waitUntil(() => events.length === 1)
    for (let seq = 1; seq <= 200; seq++) hub.accept(delivered(seq))
    await waitUntil(() => events.at(-1)!.id === 'log:200')
    const told = events.slice(1).flatMap(({ data }) => (data.kind === 'snapshot' ? [] : data.queues))
    expect(events.length).toBeLessThan(5)
    expect(told.reduce((sum, change) => sum + ('change' in change ? change.change.inflight! : 0), 0)).toBe(
      200,
    )
  })

  it('resumes from the last event a reader got, and starts over if that is forgotten', async () => {
    await serve()
    hub.accept(standing(10))
    hub.accept(delivered(11))
    hub.accept(delivered(12))
    const again = await listen('/v1/feed', { 'last-event-id': 'log:11' })
    const byQuery = await listen('/v1/feed?from=log:11')
    const unknown = await listen('/v1/feed', { 'last-event-id': 'log:3' })
    await waitUntil(() => [again, byQuery, unknown].every(({ events }) => events.length === 1))
    expect(again.events[0]).toMatchObject({
      event: 'changes',
      id: 'log:12',
      data: { queues: [{ change: { inflight: 1 } }] },
    })
    expect(byQuery.events[0]).toMatchObject({ event: 'changes', id: 'log:12' })
    expect(unknown.events[0]).toMatchObject({ event: 'snapshot', id: 'log:12' })
    hub.accept(standing(40))
    await waitUntil(() => again.events.length === 2)
    expect(again.events[1]).toMatchObject({ event: 'snapshot', id: 'log:40' })
  })

  it('drops readers that left, and all when the API closes', async () => {
    await serve()
    hub.accept(standing(10))
    const { events } = await listen('/v1/feed')
    await waitUntil(() => events.length === 1)
    expect(readers.size).toBe(1)
    streams[0]!.abort()
    hub.accept(delivered(11))
    await waitUntil(() => readers.size === 0)
  })

  it('sends heartbeats also while only other queues change', async () => {
    await serve()
    hub.accept(standing(10))
    const { events } = await listen('/v1/queues/mail/feed')
    let seq = 10
    const others = setInterval(() => hub.accept(delivered(++seq, 'other')), 50)
    try {
      await waitUntil(() => events.some(({ event }) => event === 'heartbeat'), { timeoutMs: 15_000 })
      expect(events.map(({ event }) => event)).toEqual(['snapshot', 'heartbeat'])
    } finally {
      clearInterval(others)
    }
  })

  it('lists the partitions that do not answer, and reports the others', async () => {
    hub = new FeedHub('log', 2)
    await serve()
    hub.accept(standing(10))
    hub.silence(1)
    const { events } = await listen('/v1/feed')
    await waitUntil(() => events.length === 1)
    expect(events[0]).toMatchObject({ event: 'snapshot', id: 'log:10.0', data: { silent: [1] } })
  })

  it('requires a token when tokens are in use', async () => {
    await serve('watcher:viewer:secret-of-the-watcher')
    const { response } = await listen('/v1/feed')
    expect(response.status).toBe(401)
  })
})
