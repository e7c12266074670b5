import { connect } from '@kiroku/nats'
import { freePort, startTestNats, waitUntil } from '@kiroku/testkit'
import { jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/nats-core'
import * as Effect from 'effect/Effect'
import * as Fiber from 'effect/Fiber'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { placement, type PlacementEvent } from './index.ts'
import { locksBucket } from './PartitionLock.ts'
import { runnersBucket } from './RunnerRecord.ts'

const log = 'three'
const partitions = 8
let servers: ReadonlyArray<Awaited<ReturnType<typeof startTestNats>>>
let nc: NatsConnection
let leaving: Array<() => Promise<unknown>>

beforeEach(async () => {
  const ports = await Promise.all([0, 1, 2].map(() => freePort()))
  const routes = ports.map((port) => `nats://127.0.0.1:${port}`).join(', ')
  servers = await Promise.all(
    ports.map((port, i) =>
      startTestNats({
        serverName: `n${i}`,
        extraConfig: `cluster { name: three, listen: "127.0.0.1:${port}", routes: [${routes}] }`,
      }),
    ),
  )
  nc = await connect({ servers: servers.map(({ url }) => url).join(',') })
  leaving = []
  const add = async () => {
    const { streams } = await jetstreamManager(nc)
    return streams.add({ name: 'probe', subjects: ['probe'], num_replicas: 3 })
  }
  await waitUntil(add, { timeoutMs: 30_000, what: 'the servers have found each other' })
}, 60_000)

afterEach(async () => {
  await Promise.all(leaving.map((leave) => leave()))
  await nc.close()
  await Promise.all(servers.map((server) => server.stop()))
}, 60_000)

const start = () => {
  const events: Array<PlacementEvent> = []
  const running = new Set<number>()
  const node = placement({
    nc,
    log,
    partitions,
    replicas: 3,
    run: (partition, _, serving) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          running.add(partition)
          serving()
        }),
        () => Effect.sync(() => running.delete(partition)),
      ).pipe(Effect.andThen(Effect.never)),
    onEvent: (event) => events.push(event),
  })
  const joined = Effect.scoped(Effect.andThen(node, Effect.never))
  // As an engine does where JetStream is not ready yet.
  const fiber = Effect.runFork(
    joined.pipe(
      Effect.tapError(() => Effect.sleep('100 millis')),
      Effect.eventually,
    ),
  )
  const leave = () => Effect.runPromise(Fiber.interrupt(fiber))
  leaving.push(leave)
  return { events, running, leave }
}

test(
  'no partition moves when the leaders of locks and heartbeats change, and hand-overs go on after',
  { timeout: 240_000 },
  async () => {
    const [a, b] = [start(), start()]
    await waitUntil(() => a.running.size === 4 && b.running.size === 4, { timeoutMs: 90_000 })
    const moves = () => [...a.events, ...b.events].filter(({ kind }) => kind !== 'trouble').length
    const before = moves()
    const { streams } = await jetstreamManager(nc)
    const leaderOf = async (bucket: string) => (await streams.info(`KV_${bucket}`)).cluster?.leader ?? ''
    for (const bucket of [locksBucket(log), runnersBucket(log)]) {
      const leader = await leaderOf(bucket)
      await nc.request(`$JS.API.STREAM.LEADER.STEPDOWN.KV_${bucket}`, '')
      await waitUntil(async () => !['', leader].includes(await leaderOf(bucket)), { timeoutMs: 30_000 })
    }
    const leader = await leaderOf(locksBucket(log))
    await servers[Number(leader.slice(1))]?.kill('SIGKILL')
    await waitUntil(async () => !['', leader].includes(await leaderOf(locksBucket(log))), {
      timeoutMs: 30_000,
    })
    expect(moves()).toBe(before)
    await a.leave()
    await waitUntil(() => b.running.size === partitions, { timeoutMs: 60_000 })
  },
)
