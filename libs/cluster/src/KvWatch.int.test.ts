import { connect } from '@kiroku/nats'
import { waitUntil, withNats } from '@kiroku/testkit'
import { jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/nats-core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { clusterTimes, heartbeatTtlMsMin } from './ClusterLimits.ts'
import { KvBucket } from './KvBucket.ts'
import { KvWatch } from './KvWatch.ts'

const server = withNats()
const times = clusterTimes(heartbeatTtlMsMin)
let nc: NatsConnection
let buckets = 0
let name: string
let bucket: KvBucket<string>
let watch: KvWatch<string>
/** The keys as the watch has them. */
let known: Map<string, string | undefined>
let snapshots: number

beforeEach(async () => {
  nc = await connect({ servers: server().url })
  name = `watched${buckets++}`
  bucket = await KvBucket.create<string>(nc, name, { ttlMs: 0, replicas: 1 }, times.requestMs)
  known = new Map()
  snapshots = 0
})
afterEach(async () => {
  watch.close()
  await nc.close()
})

const begin = () => {
  watch = new KvWatch(nc, bucket, times, {
    onSnapshot: (entries) => {
      snapshots++
      known = new Map([...entries].map(([key, { value }]) => [key, value]))
    },
    onEntry: ({ key, value }) => known.set(key, value),
    onTrouble: () => {},
  })
}
const untilLive = () => waitUntil(() => watch.isLive)

test('a watch has what is there, then every write and delete', async () => {
  await bucket.put('a', 'before')
  begin()
  await untilLive()
  expect(known).toEqual(new Map([['a', 'before']]))
  await bucket.put('b', 'after')
  await bucket.delete('a')
  await waitUntil(() => known.get('b') === 'after' && known.get('a') === undefined)
})

test('a watch on a bucket without keys is live too, and stays so without a request', async () => {
  begin()
  await untilLive()
  const asked: string[] = []
  nc.subscribe('$JS.API.>', { callback: (_, { subject }) => void asked.push(subject) })
  const sinceMs = performance.now()
  await waitUntil(() => performance.now() - sinceMs > 3 * times.watchSilenceMs)
  expect(watch.isLive).toBe(true)
  expect(asked).toEqual([])
})

test('a watch whose consumer has died without a word notices, and has what it missed', async () => {
  begin()
  await untilLive()
  const { consumers } = await jetstreamManager(nc)
  const [consumer] = await consumers.list(`KV_${name}`).next()
  await consumers.delete(`KV_${name}`, consumer?.name ?? '')
  await bucket.put('a', 'missed')
  await waitUntil(() => snapshots === 2)
  await untilLive()
  expect(known).toEqual(new Map([['a', 'missed']]))
})

test('a watch makes a bucket again that is gone', async () => {
  await bucket.put('a', 'gone with it')
  begin()
  await untilLive()
  await (await jetstreamManager(nc)).streams.delete(`KV_${name}`)
  await waitUntil(() => known.size === 0)
  await bucket.put('a', 'again')
  await waitUntil(() => known.get('a') === 'again')
})

test('a watch is not live while NATS is frozen, and has what was written meanwhile', async () => {
  begin()
  await untilLive()
  await server().kill('SIGSTOP')
  await waitUntil(() => !watch.isLive)
  await server().kill('SIGCONT')
  await waitUntil(() => bucket.put('a', 'later').catch(() => 0))
  await waitUntil(() => watch.isLive && known.get('a') === 'later')
})
