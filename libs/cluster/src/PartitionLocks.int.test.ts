import { waitUntil, withNats } from '@kiroku/testkit'
import { connect } from '@kiroku/nats'
import type { NatsConnection } from '@nats-io/nats-core'
import { readdirSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { KvBucket } from './KvBucket.ts'
import { Membership } from './Membership.ts'
import { lockKey, type PartitionLock } from './PartitionLock.ts'
import { PartitionLocks } from './PartitionLocks.ts'
import type { RunnerRecord } from './RunnerRecord.ts'

const server = withNats()
const never = new AbortController().signal
let nc: NatsConnection
let buckets = 0
let bucket: KvBucket<PartitionLock>
let runners: KvBucket<RunnerRecord>

beforeEach(async () => {
  nc = await connect({ servers: server().url })
  const name = `bucket${buckets++}`
  bucket = (await KvBucket.create<PartitionLock>(nc, `${name}_LOCKS`, { ttlMs: 0, replicas: 1 })).bucket
  runners = (await KvBucket.create<RunnerRecord>(nc, `${name}_RUNNERS`, { ttlMs: 3000, replicas: 1 })).bucket
})
afterEach(() => nc.close())

const node = async (address: string) => {
  const self = { address, host: 'here', pid: 1, partitions: 4, startedAt: '', leaving: false }
  const membership = new Membership(runners, self, 3000)
  await membership.join()
  return { membership, locks: new PartitionLocks(bucket, membership) }
}

test('a free lock goes to exactly one of those asking at once', async () => {
  const nodes = await Promise.all(['a', 'b', 'c'].map(node))
  const taken = await Promise.all(nodes.map(({ locks }) => locks.acquire([0, 1, 2, 3], never)))
  expect(taken.flat().sort()).toEqual([0, 1, 2, 3])
})

test('a lock passes on only after its holder let go or signed off', async () => {
  const a = await node('a')
  const b = await node('b')
  await a.locks.acquire([0, 1], never)
  expect(await b.locks.acquire([0, 1], never)).toEqual([])
  await a.locks.release(0)
  expect(await b.locks.acquire([0, 1], never)).toEqual([0])
  await a.membership.leave()
  expect(await b.locks.acquire([1], never)).toEqual([])
  await a.membership.signOff()
  expect(await b.locks.acquire([1], never)).toEqual([1])
})

test('a late release does not undo the lock of a successor', async () => {
  const a = await node('a')
  await a.locks.acquire([0], never)
  await a.membership.signOff()
  const b = await node('b')
  expect(await b.locks.acquire([0], never)).toEqual([0])
  await a.locks.release(0)
  expect((await bucket.get(lockKey(0)))?.value).toEqual({ owner: 'b' })
})

test('an abandoned attempt leaves no lock behind', async () => {
  const a = await node('a')
  const givenUp = new AbortController()
  const attempt = a.locks.acquire([0, 1], givenUp.signal)
  givenUp.abort()
  expect(await attempt).toEqual([])
  expect((await bucket.get(lockKey(0)))?.value).toBeUndefined()
  expect((await bucket.get(lockKey(1)))?.value).toBeUndefined()
})

test('a lock that names this node without its knowledge is swept, those it holds are not', async () => {
  const a = await node('a')
  await a.locks.acquire([0], never)
  await bucket.put(lockKey(1), { owner: 'a' })
  await a.locks.sweep(4)
  expect((await bucket.get(lockKey(0)))?.value).toEqual({ owner: 'a' })
  expect((await bucket.get(lockKey(1)))?.value).toBeUndefined()
})

test('a lock that was wiped is taken back by its holder', async () => {
  const a = await node('a')
  await a.locks.acquire([0], never)
  await bucket.delete(lockKey(0))
  expect(await a.locks.confirm(0)).toBe(true)
  expect((await bucket.get(lockKey(0)))?.value).toEqual({ owner: 'a' })
})

test('a confirmation dates from the heartbeat before it', async () => {
  const a = await node('a')
  await a.locks.acquire([0], never)
  const first = a.locks.confirmedAtMs(0)
  const beforeMs = performance.now()
  await a.membership.beat()
  expect(a.locks.confirmedAtMs(0)).toBe(first)
  await a.locks.confirmAll()
  expect(a.locks.confirmedAtMs(0)).toBe(a.membership.beatAtMs)
  expect(a.locks.confirmedAtMs(0)).toBeGreaterThanOrEqual(beforeMs)
})

test('locks are kept while nats-server does not answer', async () => {
  const a = await node('a')
  await a.locks.acquire([0, 1], never)
  await server().kill('SIGSTOP')
  // The signal is sent, but may not have arrived yet.
  const threads = `/proc/${server().pid}/task`
  await waitUntil(() =>
    readdirSync(threads).every((t) => readFileSync(`${threads}/${t}/stat`, 'utf8').includes(') T ')),
  )
  await expect(a.locks.confirmAll()).rejects.toMatchObject({ id: 'Timeout' })
  expect(a.locks.stillHeld([0, 1, 2])).toEqual([0, 1])
  await server().kill('SIGCONT')
  await a.locks.confirmAll()
  expect(a.locks.stillHeld([0, 1, 2])).toEqual([0, 1])
})
