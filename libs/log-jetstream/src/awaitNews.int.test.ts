import { connect, requireJetStream } from '@kiroku/nats'
import { withNats, waitUntil } from '@kiroku/testkit'
import type { JetStreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/nats-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { awaitNews } from './awaitNews.ts'

const nats = withNats()
let nc: NatsConnection
let jsm: JetStreamManager
beforeAll(async () => {
  nc = await connect({ servers: nats().url })
  jsm = await requireJetStream(nc)
})
afterAll(() => nc.close())

const never = new AbortController().signal
const consumersOf = async (stream: string) => (await jsm.streams.info(stream)).state.consumer_count

test('waits without a request, hears of the next record and leaves no consumer behind', async () => {
  await jsm.streams.add({ name: 'quiet', subjects: ['at.quiet'] })
  await nc.request('at.quiet', 'a')
  const asked: string[] = []
  const spy = nc.subscribe('$JS.API.>', { callback: (_, msg) => void asked.push(msg.subject) })
  let isTold = false
  const told = awaitNews(nc, jsm, 'quiet', 1, never).then(() => (isTold = true))
  await waitUntil(() => asked.length === 1)
  expect(asked[0]).toContain('CONSUMER.CREATE')
  spy.unsubscribe()
  await waitUntil(async () => (await consumersOf('quiet')) === 1)
  expect(isTold).toBe(false)
  await nc.request('at.quiet', 'b')
  await told
  await waitUntil(async () => (await consumersOf('quiet')) === 0)
})

test('ends when the connection was lost, since a record may have been missed', async () => {
  await jsm.streams.add({ name: 'lost', subjects: ['at.lost'] })
  const told = awaitNews(nc, jsm, 'lost', 0, never)
  await waitUntil(async () => (await consumersOf('lost')) === 1)
  await nc.reconnect()
  await told
})

test('fails for a stream that is not there', async () => {
  await expect(awaitNews(nc, jsm, 'missing', 0, never)).rejects.toThrow(
    'cannot wait for news of stream missing',
  )
})
