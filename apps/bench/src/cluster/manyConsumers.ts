import { connect } from '@kiroku/nats'
import { atMost, type Figure, informs } from '../Figure.ts'
import { LoadProcess } from '../LoadProcess.ts'
import type { ConsumersLoad } from '../load/consumersLoad.ts'
import type { ClusterRun } from './ClusterRun.ts'
import { PinnedCluster } from './PinnedCluster.ts'

const processes = 4
const partitions = 2
/** How long a burst is counted, in ms. */
const secondMs = 1_000

/** What happens when the partition moves on which thousands of consumers wait. */
export const manyConsumers = async (run: ClusterRun): Promise<Figure[]> => {
  const { progress, sizes } = run
  const each = sizes.consumers / processes
  progress.step('starting 2 nodes')
  await using cluster = await PinnedCluster.start(run, { nodes: 2, partitions })
  const loads = Array.from(
    { length: processes },
    (_, i) => new LoadProcess<ConsumersLoad>('consumersLoad', `consumers${i}`, [cluster.nats, String(i)]),
  )
  const nats = await connect({ servers: cluster.nats })
  try {
    const [first, second] = cluster.nodes
    await cluster.move([0], first!)
    progress.step(`${sizes.consumers} consumers begin to wait`)
    await Promise.all(loads.map((load) => load.ask('begin', { partitions, consumers: each })))
    const arrivals: number[] = []
    nats.subscribe('kiroku.cmd.main.0', { callback: () => void arrivals.push(performance.now()) })
    await nats.flush()
    progress.step('their partition moves')
    const beganMs = performance.now()
    const moving = cluster.move([0], second!)
    await moving
    const movedMs = performance.now() - beganMs
    await Promise.all(loads.map((load) => load.ask('deliverAll')))
    const passedMs = performance.now() - beganMs
    await nats.flush()
    const what = `${sizes.consumers.toLocaleString('en')} consumers, their partition moves`
    return [
      atMost(`${what}: until the last has a delivery`, passedMs / 1_000, 's', 2),
      informs(`${what}: until the partition is there`, movedMs / 1_000, 's'),
      atMost(`${what}: largest burst of requests`, burstOf(arrivals), '/s', 2_000),
    ]
  } finally {
    await nats.close()
    await Promise.all(loads.map((load) => load.end()))
  }
}

/** Most requests within a second. */
const burstOf = (arrivals: readonly number[]): number => {
  let [most, from] = [0, 0]
  for (const [to, at] of arrivals.entries()) {
    while (arrivals[from]! <= at - secondMs) from++
    most = Math.max(most, to - from + 1)
  }
  return most
}
