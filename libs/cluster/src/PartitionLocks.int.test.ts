import { waitUntil, withNats } from '@kiroku/testkit'
import { connect } from '@kiroku/nats'
import type { NatsConnection } from '@nats-io/nats-core'
import { readdirSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Kvm } from '@nats-io/kv'
import { clusterTimes, heartbeatTtlMsDefault } from './ClusterLimits.ts'
import { KvBucket } from './KvBucket.ts'
import { Membership } from './Membership.ts'
import { lockKey, type PartitionLock } from './PartitionLock.ts'
import { PartitionLocks } from './PartitionLocks.ts'
import type { RunnerRecord } from './RunnerRecord.ts'

const server = withNats()
const times = clusterTimes(heartbeatTtlMsDefault)
let nc: NatsConnection
let buckets = 0
let locksName: string
let runnersName: string
let bucket: KvBucket<PartitionLock>
let runners: KvBucket<RunnerRecord>

beforeEach(async () => {
  nc = await connect({ servers: server().url })
  const name = `bucket${buckets++}`
  locksName = `${name}_LOCKS`
  bucket = await KvBucket.create<PartitionLock>(nc, locksName, { ttlMs: 0, replicas: 1 })
  runnersName = `${name}_RUNNERS`
  runners = await KvBucket.create<RunnerRecord>(nc, runnersName, { ttlMs: times.ttlMs, replicas: 1 })
})
afterEach(() => nc.close())

/** A node as far as its heartbeat and its locks go, with what the watches would tell it read when a test says so. */
const node = async (address: string) => {
  const self = { address, host: 'here', pid: 1, partitions: 4, startedAt: '', leaving: false, weight: 1 }
  const membership = new Membership(runners, self, times)
  await membership.join()
  const locks = new PartitionLocks(bucket, membership)
  const look = async () => {
    const [members, entries] = await Promise.all([runners.list(), bucket.list()])
    membership.snapshot(new Map(members.map((entry) => [entry.key, entry])), 0)
    locks.snapshot(new Map(entries.map((entry) => [entry.key, entry])), times.ttlMs)
  }
  const take = async (...partitions: ReadonlyArray<number>) => {
    await look()
    const taken = await Promise.all(partitions.map((partition) => locks.take(partition)))
    return partitions.filter((_, index) => taken[index])
  }
  return { membership, locks, look, take }
}

const ownerOf = async (partition: number) => (await bucket.get(lockKey(partition)))?.value?.owner

test('a free lock goes to exactly one of those asking at once', async () => {
  const nodes = await Promise.all(['a', 'b', 'c'].map(node))
  const taken = await Promise.all(nodes.map(({ take }) => take(0, 1, 2, 3)))
  expect(taken.flat().sort()).toEqual([0, 1, 2, 3])
})

test('a lock passes on only after its holder let go or signed off', async () => {
  const a = await node('a')
  const b = await node('b')
  await a.take(0, 1)
  expect(await b.take(0, 1)).toEqual([])
  await a.locks.release(0)
  expect(await b.take(0, 1)).toEqual([0])
  await a.membership.leave()
  expect(await b.take(1)).toEqual([])
  await a.membership.signOff()
  expect(await b.take(1)).toEqual([1])
})

test('a late release does not undo the lock of a successor', async () => {
  const a = await node('a')
  await a.take(0)
  await a.membership.signOff()
  const b = await node('b')
  expect(await b.take(0)).toEqual([0])
  await a.locks.release(0)
  expect(await ownerOf(0)).toBe('b')
  expect(a.locks.isHeld(0)).toBe(false)
})

/** Holds up the answers to what is asked now until it is called. */
const holdAnswers = (): (() => void) => {
  const request = nc.request.bind(nc)
  let letGo = (): void => {}
  const gone = new Promise<void>((resolve) => (letGo = resolve))
  nc.request = async (...args) => {
    const answer = await request(...args)
    await gone
    return answer
  }
  return () => {
    nc.request = request
    letGo()
  }
}

/** A lock as a watch tells it, once it is as expected. */
const heardOf = (partition: number, owner: string | undefined, nats: KvBucket<PartitionLock>) =>
  waitUntil(async () => {
    const entry = await nats.get(lockKey(partition))
    return entry?.value?.owner === owner && entry
  })

test('an answer that comes after the news of what happened since does not undo that news', async () => {
  const a = await node('a')
  const b = await node('b')
  await a.take(0)
  const other = await connect({ servers: server().url })
  const watched = KvBucket.open<PartitionLock>(other, locksName)
  const letGo = holdAnswers()
  const releasing = a.locks.release(0)
  const { revision } = await heardOf(0, undefined, watched)
  await watched.compareAndSet(lockKey(0), { owner: 'b', isServing: true }, revision)
  a.locks.heard(await heardOf(0, 'b', watched))
  letGo()
  await releasing
  expect(a.locks.holders().get(0)?.owner).toBe('b')
  await b.look()
  expect(b.locks.unheld()).toEqual([0])
  await other.close()
})

test('a lock that another node took before this one knew that it had it is in doubt', async () => {
  const a = await node('a')
  const other = await connect({ servers: server().url })
  const watched = KvBucket.open<PartitionLock>(other, locksName)
  await a.look()
  const letGo = holdAnswers()
  const taking = a.locks.take(0)
  const { revision } = await heardOf(0, 'a', watched)
  await watched.compareAndSet(lockKey(0), { owner: 'b' }, revision)
  a.locks.heard(await heardOf(0, 'b', watched))
  letGo()
  await taking
  await a.locks.confirmDoubted()
  expect(a.locks.isHeld(0)).toBe(false)
  expect(a.locks.holders().get(0)?.owner).toBe('b')
  await other.close()
})

test('a lock that names this node without its knowledge is given back, those it holds are not', async () => {
  const a = await node('a')
  await a.take(0)
  await bucket.put(lockKey(1), { owner: 'a' })
  await a.look()
  expect(a.locks.unheld()).toEqual([1])
  await Promise.all([0, 1].map((partition) => a.locks.disown(partition)))
  expect(await ownerOf(0)).toBe('a')
  expect(await ownerOf(1)).toBeUndefined()
})

test('a lock that was wiped is taken back by its holder', async () => {
  const a = await node('a')
  await a.take(0)
  await bucket.delete(lockKey(0))
  await a.look()
  await a.locks.confirmDoubted()
  expect(await ownerOf(0)).toBe('a')
})

test('a heartbeat confirms every lock without a request a lock', async () => {
  const a = await node('a')
  await a.take(0, 1)
  const beforeMs = performance.now()
  const asked: string[] = []
  const listener = nc.subscribe('$JS.API.>', { callback: (_, { subject }) => void asked.push(subject) })
  await nc.flush()
  await a.membership.beat()
  await a.locks.confirmDoubted()
  await nc.flush()
  listener.unsubscribe()
  for (const partition of [0, 1]) expect(a.locks.confirmedAtMs(partition)).toBeGreaterThanOrEqual(beforeMs)
  expect(asked).toEqual([])
})

test('after a heartbeat that had expired, no lock is confirmed before it was written again', async () => {
  const a = await node('a')
  await a.take(0)
  const before = await bucket.get(lockKey(0))
  // As the TTL does it.
  await new Kvm(nc).open(runnersName).then((kv) => kv.purge('a'))
  await a.membership.beat()
  expect(a.locks.confirmedAtMs(0)).toBe(-Infinity)
  await a.locks.confirmDoubted()
  expect(a.locks.confirmedAtMs(0)).toBe(a.membership.beatAtMs)
  // A node that saw the heartbeat expire, and read the lock then, is too late to take it.
  expect(await bucket.compareAndSet(lockKey(0), { owner: 'b' }, before?.revision ?? 0)).toBeUndefined()
})

test('a lock that was taken while the heartbeat had expired is lost, not confirmed', async () => {
  const a = await node('a')
  await a.take(0)
  const lost: string[] = []
  a.locks.onLost(0, (reason) => lost.push(reason))
  await new Kvm(nc).open(runnersName).then((kv) => kv.purge('a'))
  const b = await node('b')
  expect(await b.take(0)).toEqual([0])
  await a.membership.beat()
  expect(a.locks.confirmedAtMs(0)).toBe(-Infinity)
  await a.locks.confirmDoubted()
  await a.locks.confirmDoubted()
  expect(lost).toEqual(['the lock names b'])
  expect(a.locks.confirmedAtMs(0)).toBe(-Infinity)
})

test('what is noted in a lock while it is being confirmed is not undone', async () => {
  const a = await node('a')
  await a.take(0)
  await bucket.put(lockKey(0), { owner: 'a' })
  await a.look()
  const confirmed = a.locks.confirmDoubted()
  const noted = a.locks.note(0, { isServing: true })
  await Promise.all([confirmed, noted])
  await a.locks.confirmDoubted()
  expect((await bucket.get(lockKey(0)))?.value).toEqual({ owner: 'a', isServing: true })
})

test('what could not be noted because another write came first is noted once that is cleared up', async () => {
  const a = await node('a')
  await a.take(0)
  await bucket.put(lockKey(0), { owner: 'a' })
  await a.locks.note(0, { isServing: true })
  await a.locks.confirmDoubted()
  expect((await bucket.get(lockKey(0)))?.value).toEqual({ owner: 'a', isServing: true })
})

test('a heartbeat whose answer was lost begins no new stay', async () => {
  const a = await node('a')
  await a.take(0)
  // What arrived of it.
  await runners.put('a', (await runners.get('a'))?.value as RunnerRecord)
  expect(await a.membership.beat()).toBe(false)
  expect(a.membership.stay).toBe(0)
  expect(await a.membership.beat()).toBe(true)
  expect(a.locks.confirmedAtMs(0)).toBe(a.membership.beatAtMs)
})

test('locks are kept while nats-server does not answer', async () => {
  const a = await node('a')
  await a.take(0, 1)
  await server().kill('SIGSTOP')
  // The signal is sent, but may not have arrived yet.
  const threads = `/proc/${server().pid}/task`
  await waitUntil(() =>
    readdirSync(threads).every((t) => readFileSync(`${threads}/${t}/stat`, 'utf8').includes(') T ')),
  )
  await expect(a.membership.beat()).rejects.toMatchObject({ id: 'Timeout' })
  expect([0, 1, 2].filter((partition) => a.locks.isHeld(partition))).toEqual([0, 1])
  await server().kill('SIGCONT')
  await waitUntil(() => a.membership.beat())
  await a.locks.confirmDoubted()
  expect([0, 1, 2].filter((partition) => a.locks.isHeld(partition))).toEqual([0, 1])
})
