import { atLeast, atMost, type Figure } from '../Figure.ts'
import { LoadProcess } from '../LoadProcess.ts'
import type { OrderLoad } from '../load/orderLoad.ts'
import type { ClusterRun } from './ClusterRun.ts'
import { PinnedCluster } from './PinnedCluster.ts'

const partitions = 8

/** Whether what one client sends without awaiting it is stored in its order while the partitions change owners. */
export const orderOfSends = async (run: ClusterRun): Promise<Figure[]> => {
  const { progress, sizes } = run
  progress.step('starting 2 nodes')
  await using cluster = await PinnedCluster.start(run, { nodes: 2, partitions })
  const load = new LoadProcess<OrderLoad>('orderLoad', 'order', [cluster.nats])
  try {
    await load.ask('begin', { partitions })
    const all = Array.from({ length: partitions }, (_, partition) => partition)
    let changes = 0
    let sent = 0
    for (let turn = 0; changes < sizes.ownerChanges || sent < sizes.orderedSends; turn++) {
      await cluster.move(all, cluster.nodes[turn % 2]!)
      changes += turn === 0 ? partitions / 2 : partitions
      sent = await load.ask('sent')
      progress.step(`${sent.toLocaleString('en')} sends, ${changes} changes of owner`)
    }
    const { stored, inversions, failed } = await load.ask('end')
    const what = 'sends that were not awaited'
    return [
      atLeast(`${what}: stored`, stored, '', sizes.orderedSends),
      atLeast(`${what}: changes of owner meanwhile`, changes, '', sizes.ownerChanges),
      atMost(`${what}: inversions of their order`, inversions, '', 0),
      atMost(`${what}: failed`, failed, '', 0),
    ]
  } finally {
    await load.end()
  }
}
