import { connect } from '@kiroku/nats'
import { waitUntil, withNats } from '@kiroku/testkit'
import type { NatsConnection } from '@nats-io/nats-core'
import * as Effect from 'effect/Effect'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ClusterNode } from './ClusterNode.ts'
import { clusterStatus } from './clusterStatus.ts'
import { startTestPlacement, type TestPlacement } from './testing/startTestPlacement.ts'

const server = withNats()
const partitions = 4
let nc: NatsConnection
let log: string
let logs = 0
const nodes: TestPlacement[] = []
const children: ClusterNode[] = []

beforeEach(async () => {
  nc = await connect({ servers: server().url })
  log = `log${logs++}`
})
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.leave()
  for (const child of children.splice(0)) await child.end('SIGKILL')
  await nc.close()
})

/** A node that notes what it loads. */
const start = (isStandby = true) => {
  const loaded: number[] = []
  const node = startTestPlacement(
    { nc, log, partitions, heartbeatTtlMs: 1000 },
    {
      load: Effect.sync(() => loaded.push(...[...node.ahead].filter((p) => !loaded.includes(p)))),
      isStandby,
    },
  )
  nodes.push(node)
  return Object.assign(node, { loaded })
}

/** Nodes that share the partitions, and follow each other's. */
const startAll = async (count: number) => {
  const all = Array.from({ length: count }, () => start())
  const share = partitions / count
  const isSettled = () =>
    all.every(({ running }) => Math.abs(running.size - share) < 1) &&
    all.reduce((sum, { ahead }) => sum + ahead.size, 0) === partitions
  await waitUntil(isSettled, { timeoutMs: 20_000 })
  return all
}

test('every partition has a standby, which the status names', async () => {
  const all = await startAll(2)
  for (const { running, ahead } of all) expect([...ahead].some((p) => running.has(p))).toBe(false)
  const status = await waitUntil(async () => {
    const { partitions: each } = await clusterStatus(nc, log)
    return each.every(({ standby }) => standby !== undefined) ? each : undefined
  })
  for (const { owner, standby, standbySeq } of status) {
    expect(standby).not.toBe(owner)
    expect(standbySeq).toBe(1)
  }
})

test('a node that is no standby follows nothing, and neither does one that is alone', async () => {
  const first = start()
  await waitUntil(() => first.running.size === partitions)
  const second = start(false)
  await waitUntil(() => first.running.size === 2 && second.running.size === 2)
  await waitUntil(() => first.ahead.size === 2, { timeoutMs: 10_000 })
  expect(second.ahead.size).toBe(0)
  const status = await waitUntil(async () => {
    const { partitions: each } = await clusterStatus(nc, log)
    return each.filter(({ standby }) => standby !== undefined).length === 2 ? each : undefined
  })
  const owned = status.filter(({ standby }) => standby !== undefined).map(({ partition }) => partition)
  expect(new Set(owned)).toEqual(new Set(second.running))
  await second.leave()
  nodes.pop()
  await waitUntil(() => first.running.size === partitions && first.ahead.size === 0)
})

test('a node that stops hands over to the standbys, who need not load anything then', async () => {
  const [first, second, third] = await startAll(3)
  const its = [...first!.running]
  const followers = its.map((partition) => nodes.find(({ ahead }) => ahead.has(partition)))
  await first!.leave()
  nodes.splice(nodes.indexOf(first!), 1)
  await waitUntil(() => second!.running.size + third!.running.size === partitions)
  for (const [at, partition] of its.entries()) expect(followers[at]!.running).toContain(partition)
})

test('the standby of each takes the partitions of a node that dies', async () => {
  const child = new ClusterNode({ url: server().url, log, partitions })
  children.push(child)
  await waitUntil(() => child.running().length === partitions, { timeoutMs: 20_000 })
  const [first, second] = [start(), start()]
  const isSettled = () => first.ahead.size + second.ahead.size === partitions && child.running().length === 2
  await waitUntil(isSettled, { timeoutMs: 20_000 })
  const its = child.running()
  const loads = first.loaded.length + second.loaded.length
  const followers = its.map((partition) => [first, second].find(({ ahead }) => ahead.has(partition)))
  await child.end('SIGKILL')
  await waitUntil(() => first.running.size + second.running.size === partitions)
  for (const [at, partition] of its.entries()) expect(followers[at]!.running).toContain(partition)
  expect(first.loaded.length + second.loaded.length).toBe(loads)
})
