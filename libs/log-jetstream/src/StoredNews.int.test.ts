import { connect } from '@kiroku/nats'
import { waitUntil, withNats } from '@kiroku/testkit'
import type { NatsConnection } from '@nats-io/nats-core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { StoredNews } from './StoredNews.ts'

const server = withNats()
let nc: NatsConnection
let other: NatsConnection
let news: StoredNews

beforeEach(async () => {
  ;[nc, other] = await Promise.all([connect({ servers: server().url }), connect({ servers: server().url })])
  news = new StoredNews(nc, 'main')
})
afterEach(async () => {
  news.close()
  await Promise.all([nc.close(), other.close()])
})

test('many records make few news, and the last is always told', async () => {
  const heard: number[] = []
  news.listen(0, (seq) => heard.push(seq))
  await nc.flush()
  const told = new StoredNews(other, 'main')
  for (let seq = 1; seq <= 1_000; seq++) told.stored(0, seq)
  await waitUntil(() => heard.at(-1) === 1_000)
  expect(heard).toEqual([1, 1_000])
  told.close()
})

test('partitions are told apart, and what is no news is passed over', async () => {
  const heard: number[] = []
  const stop = news.listen(1, (seq) => heard.push(seq))
  news.stored(0, 7)
  nc.publish('kiroku.stored.main.1', 'nonsense')
  news.stored(1, 8)
  await waitUntil(() => heard.length > 0)
  stop()
  expect(heard).toEqual([8])
})

test('an owner whom nobody hears is silent for a while', async () => {
  const sent = () => nc.stats().outMsgs
  news.stored(0, 1)
  await nc.flush()
  const before = sent()
  for (let seq = 2; seq <= 100; seq++) {
    news.stored(0, seq)
    await nc.flush()
  }
  expect(sent()).toBe(before)
})
