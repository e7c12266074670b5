import { waitUntil, withNats } from '@kiroku/testkit'
import { connect } from '@kiroku/nats'
import { afterEach, describe, expect, test } from 'vitest'
import { clusterTimes, heartbeatTtlMsDefault } from './ClusterLimits.ts'
import { type ChildOptions, ClusterNode } from './ClusterNode.ts'
import { clusterStatus } from './index.ts'

const server = withNats()
const partitions = 8
const all = Array.from({ length: partitions }, (_, partition) => partition)

let nodes: Array<ClusterNode> = []
let logs = 0
afterEach(async () => {
  await Promise.all(nodes.map((node) => node.end('SIGKILL')))
  nodes = []
})

const newLog = () => `log${logs++}`
const startNode = (options: Pick<ChildOptions, 'log' | 'machine' | 'drainMs'>) => {
  const node = new ClusterNode({ url: server().url, partitions, ...options })
  nodes.push(node)
  return node
}

/** All partitions that run on `some` nodes, each once per place where it runs. */
const runningOn = (...some: ReadonlyArray<ClusterNode>) =>
  some.flatMap((node) => node.running()).sort((a, b) => a - b)

const allRunOn = (...some: ReadonlyArray<ClusterNode>) =>
  waitUntil(() => String(runningOn(...some)) === String(all), {
    timeoutMs: 20_000,
    what: `every partition runs on one of ${some.length} nodes`,
  })

/** All run, on counts that are at most one apart. */
const evenly = (...some: ReadonlyArray<ClusterNode>) =>
  waitUntil(
    () => {
      const counts = some.map((node) => node.running().length)
      return String(runningOn(...some)) === String(all) && Math.max(...counts) - Math.min(...counts) <= 1
    },
    { timeoutMs: 20_000, what: 'the partitions are spread evenly' },
  )

const evenlyOn = async (...some: ReadonlyArray<ClusterNode>) => {
  await allRunOn(...some)
  await waitUntil(
    () =>
      some.every((node) => node.running().length === partitions / some.length) &&
      runningOn(...some).length === partitions,
    { timeoutMs: 20_000, what: 'the partitions are spread evenly' },
  )
}

/** When the last start on any of the nodes was. */
const lastStart = (...some: ReadonlyArray<ClusterNode>) =>
  Math.max(...some.flatMap((node) => node.of('START').map((line) => line.atMs)))

const print = (what: string, ms: number) => process.stdout.write(`  ${what}: ${Math.round(ms)} ms\n`)

const status = async (log: string) => {
  const nc = await connect({ servers: server().url })
  try {
    return await clusterStatus(nc, log)
  } finally {
    await nc.close()
  }
}

/** Waits until every lock is older than a heartbeat's TTL. */
const unconfirmedOn = async (...some: ReadonlyArray<ClusterNode>) => {
  for (const node of some)
    await waitUntil(async () => (await node.oldestLeaseMs()) > heartbeatTtlMsDefault + 1000, {
      what: 'no lock was confirmed for longer than the TTL of heartbeats',
    })
}

/** Waits until every lock was confirmed several times, and the heartbeats read many times. */
const confirmedOn = async (...some: ReadonlyArray<ClusterNode>) => {
  const sinceMs = Date.now()
  for (const node of some)
    await waitUntil(async () => Date.now() - (await node.oldestLeaseMs()) > sinceMs + 2000, {
      timeoutMs: 20_000,
      what: 'the locks are confirmed repeatedly',
    })
}

/** Starts of a partition that came before its stop elsewhere. */
const overlaps = (from: ClusterNode, to: ClusterNode) =>
  from
    .of('STOP')
    .filter((stop) =>
      to.of('START').some((start) => start.partition === stop.partition && start.atMs < stop.atMs),
    )

describe('one node', () => {
  test('runs every partition soon after its start', async () => {
    const node = startNode({ log: newLog() })
    await allRunOn(node)
    print('start of a process until all partitions run', lastStart(node) - node.startedAtMs)
  })

  test('runs every partition again after kill -9, without waiting for the heartbeat of the dead node', async () => {
    const log = newLog()
    const first = startNode({ log })
    await allRunOn(first)
    await first.end('SIGKILL')
    const second = startNode({ log })
    await allRunOn(second)
    print('restart after kill -9', lastStart(second) - second.startedAtMs)
    expect(second.of('acquired')[0]?.reason).toContain('is gone')
  })

  test('reports no trouble when it is the last to leave, however long its partitions drain', async () => {
    // Long enough for it to read the members many times.
    const node = startNode({ log: newLog(), drainMs: 10 * clusterTimes(heartbeatTtlMsDefault).lookMs })
    await allRunOn(node)
    await node.end('SIGTERM')
    expect(node.of('STOP')).toHaveLength(partitions)
    expect(node.of('trouble')).toEqual([])
  })
})

describe('two nodes', () => {
  test('share the partitions evenly, and a moved partition stops before it starts elsewhere', async () => {
    const log = newLog()
    const first = startNode({ log, drainMs: 100 })
    await allRunOn(first)
    const second = startNode({ log })
    await evenlyOn(first, second)
    const joinedAtMs = second.startedAtMs
    print('join until balanced, with the start of the process', lastStart(second) - joinedAtMs)
    const gaps = second.of('START').map((start) => {
      const stop = first.of('STOP').find((line) => line.partition === start.partition)
      return start.atMs - (stop?.atMs ?? 0)
    })
    print('longest pause of a partition while it moves', Math.max(...gaps))
    expect(overlaps(first, second)).toEqual([])
    const { runners, partitions: owners } = await status(log)
    expect(runners.map((runner) => runner.pid)).toEqual([first.pid, second.pid])
    for (const runner of runners) {
      expect(runner.healthy).toBe(true)
      expect(owners.filter((partition) => partition.owner === runner.address)).toHaveLength(partitions / 2)
    }
  })

  test('take over from one that was killed on another machine', async () => {
    const log = newLog()
    const first = startNode({ log, machine: 'elsewhere' })
    await allRunOn(first)
    const second = startNode({ log })
    await evenlyOn(first, second)
    const killedAtMs = Date.now()
    await first.end('SIGKILL')
    await allRunOn(second)
    print('take-over after kill -9, another machine', lastStart(second) - killedAtMs)
  })

  test('take over from one that was killed on the same machine', async () => {
    const log = newLog()
    const first = startNode({ log })
    await allRunOn(first)
    const second = startNode({ log })
    await evenlyOn(first, second)
    const killedAtMs = Date.now()
    await first.end('SIGKILL')
    await allRunOn(second)
    print('take-over after kill -9, same machine', lastStart(second) - killedAtMs)
  })

  test('hand over on SIGTERM, each partition stopped before it starts elsewhere', async () => {
    const log = newLog()
    const first = startNode({ log, drainMs: 50 })
    await allRunOn(first)
    const second = startNode({ log })
    await evenlyOn(first, second)
    const termAtMs = Date.now()
    await first.end('SIGTERM')
    print('SIGTERM until the process ended', Date.now() - termAtMs)
    await allRunOn(second)
    print('SIGTERM until the other runs all', lastStart(second) - termAtMs)
    expect(first.running()).toEqual([])
    expect(overlaps(first, second)).toEqual([])
    expect((await status(log)).runners.map((runner) => runner.pid)).toEqual([second.pid])
  })

  test('leave a partition to the node that hands it over until it has drained, however long that takes', async () => {
    const log = newLog()
    const first = startNode({ log, drainMs: 3500 })
    await allRunOn(first)
    const second = startNode({ log })
    const ended = first.end('SIGTERM')
    await allRunOn(second)
    await ended
    expect(first.of('STOP')).toHaveLength(partitions)
    expect(overlaps(first, second)).toEqual([])
  })

  test('keep their partitions while nats-server is frozen for longer than the TTL of heartbeats', async () => {
    const log = newLog()
    const first = startNode({ log })
    await allRunOn(first)
    const second = startNode({ log })
    await evenlyOn(first, second)
    const before = [first.running(), second.running()]
    const stops = first.of('STOP').length
    await server().kill('SIGSTOP')
    await unconfirmedOn(first, second)
    await server().kill('SIGCONT')
    await confirmedOn(first, second)
    expect([first.running(), second.running()]).toEqual(before)
    expect(first.of('STOP')).toHaveLength(stops)
    expect(second.of('STOP')).toEqual([])
  })

  test('keep their partitions while nats-server is down for longer than the TTL of heartbeats', async () => {
    const log = newLog()
    const first = startNode({ log })
    await allRunOn(first)
    const second = startNode({ log })
    await evenlyOn(first, second)
    const before = [first.running(), second.running()]
    await server().kill('SIGKILL')
    await unconfirmedOn(first, second)
    await server().restart()
    await confirmedOn(first, second)
    expect([first.running(), second.running()]).toEqual(before)
    expect(first.of('lost').concat(second.of('lost'))).toEqual([])
  })

  test('take over from one that hangs, which gives its partitions up when it wakes', async () => {
    const log = newLog()
    const first = startNode({ log })
    await allRunOn(first)
    const second = startNode({ log })
    await evenlyOn(first, second)
    first.signal('SIGSTOP')
    const frozenAtMs = Date.now()
    await allRunOn(second)
    print('take-over from a process that hangs', lastStart(second) - frozenAtMs)
    first.signal('SIGCONT')
    await waitUntil(() => first.of('lost').length > 0, { what: 'the node noticed what it lost' })
    await evenlyOn(first, second)
  })
})

/** Most partitions that were on their way to or from a node at once: stopped somewhere, not yet started elsewhere. */
const mostOnTheWay = (...some: ReadonlyArray<ClusterNode>) => {
  const lines = some
    .flatMap((node) => node.lines.map((line) => ({ ...line, node })))
    .filter(({ kind }) => kind === 'DRAIN' || kind === 'START')
    .sort((a, b) => a.atMs - b.atMs)
  const from = new Map<number, ClusterNode>()
  let most = 0
  for (const { kind, partition = -1, node } of lines) {
    if (kind === 'START') from.delete(partition)
    else from.set(partition, node)
    for (const each of some) most = Math.max(most, [...from.values()].filter((its) => its === each).length)
    most = Math.max(most, from.size)
  }
  return most
}

describe('a fourth node', () => {
  test('moves as few partitions as it must when it joins and when it leaves, at most two at once', async () => {
    const log = newLog()
    const three: ClusterNode[] = []
    for (let i = 0; i < 3; i++) {
      three.push(startNode({ log, drainMs: 50 }))
      await evenly(...three)
    }
    const before = three.map((node) => node.lines.length)
    const fourth = startNode({ log, drainMs: 50 })
    await evenly(...three, fourth)
    expect(fourth.of('START')).toHaveLength(Math.floor(partitions / 4))
    const since = (node: ClusterNode, index: number) => node.lines.slice(before[index])
    const stops = three.flatMap(since).filter(({ kind }) => kind === 'STOP')
    expect(stops).toHaveLength(Math.floor(partitions / 4))
    expect(mostOnTheWay(...three, fourth)).toBeLessThanOrEqual(2)
    await fourth.end('SIGTERM')
    await evenly(...three)
    const starts = three.flatMap(since).filter(({ kind }) => kind === 'START')
    expect(starts).toHaveLength(Math.floor(partitions / 4))
  })
})
