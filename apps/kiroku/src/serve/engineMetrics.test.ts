import type { MetricFamily } from '@kiroku/doors'
import type { Node } from '@kiroku/engine'
import { createMemoryLog } from '@kiroku/log'
import { ManualTime } from '@kiroku/testkit'
import { startMemoryEngine } from '@kiroku/testkit/engine'
import { expect, it, onTestFinished } from 'vitest'
import { engineMetrics } from './engineMetrics.ts'

const began = 1_700_000_000_000

/** An engine on a controlled time, and the values of its metrics by partition. */
const start = async () => {
  const time = new ManualTime()
  time.wallFromMs = began
  const log = createMemoryLog(
    { partitions: 1 },
    {
      now: () => began + time.now(),
      schedule: (ms, run) => (ms === 0 ? queueMicrotask(run) : void time.after(ms, run)),
    },
  )
  const engine = await startMemoryEngine({ log, partitions: 1, time })
  onTestFinished(() => engine.close())
  const valueOf = (node: Node, name: string): number | undefined => {
    const family: MetricFamily | undefined = engineMetrics(node).find((each) => each.name === name)
    const [sample] = family?.samples ?? []
    return sample !== undefined && 'value' in sample ? sample.value : undefined
  }
  return { time, engine, value: (name: string) => valueOf(engine.node(), name), valueOf }
}

it('a node counts the partitions that it took over, also when it owns them no longer', async () => {
  const { engine, valueOf } = await start()
  const first = engine.node()
  expect(valueOf(first, 'kiroku_owner_changes_total')).toBe(1)
  await engine.restart()
  expect(first.actors.size).toBe(0)
  expect(valueOf(first, 'kiroku_owner_changes_total')).toBe(1)
  expect(valueOf(engine.node(), 'kiroku_owner_changes_total')).toBe(1)
})

it('the time without an owner is counted from the last record of the owner before', async () => {
  const { time, engine, value } = await start()
  expect(value('kiroku_without_owner_seconds')).toBe(0)
  await time.advance(7_000)
  await engine.restart()
  expect(value('kiroku_without_owner_seconds')).toBe(7)
})

it('the cost of the next take-over grows with what the next owner has to replay', async () => {
  const { engine, value } = await start()
  const before = value('kiroku_next_take_over_seconds')!
  const by = { name: 'test', origin: 'test' }
  const create = { type: 'CreateQueue', queue: 'mail', config: {}, by } as const
  await engine.node().request(0, [create])
  expect(value('kiroku_next_take_over_seconds')).toBeGreaterThan(before)
})
