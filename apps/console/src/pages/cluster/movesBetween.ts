import type { Cluster } from './Cluster.ts'
import { nodeName } from './partitionViews.ts'

/** A partition that changed hands, or was taken again by its owner. */
export interface Move {
  readonly partition: number
  /** Names of nodes; absent: none. */
  readonly from?: string
  readonly to?: string
  readonly epoch?: number
  readonly why: string
}

/** What moved between two answers, and why, as far as they show it. */
export const movesBetween = (before: Cluster, after: Cluster): Move[] => {
  const nameOf = (cluster: Cluster, address: string | undefined): string | undefined => {
    const node = cluster.nodes.find((each) => each.address === address)
    return node === undefined ? undefined : nodeName(node)
  }
  return after.partitions.flatMap(({ partition, owner, epoch }): Move[] => {
    const was = before.partitions.find((each) => each.partition === partition)
    if (was === undefined) return []
    const isRetaken =
      owner === was.owner && epoch !== undefined && was.epoch !== undefined && epoch > was.epoch
    if (owner === was.owner && !isRetaken) return []
    const from = nameOf(before, was.owner)
    const to = nameOf(after, owner)
    return [
      {
        partition,
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
        ...(epoch === undefined ? {} : { epoch }),
        why: isRetaken
          ? 'its owner fenced it again, after an append without an answer or a break with NATS'
          : why(before, after, was.owner, owner),
      },
    ]
  })
}

const why = (before: Cluster, after: Cluster, from: string | undefined, to: string | undefined): string => {
  if (from === undefined) return 'it had no owner'
  const left = after.nodes.find(({ address }) => address === from)
  const wasLeaving = before.nodes.find(({ address }) => address === from)?.leaving === true
  if (left?.leaving === true || wasLeaving) return 'its node is stopping and handed it over'
  if (left === undefined || !left.healthy) return 'its node went away'
  if (to === undefined) return 'its node released it'
  const isNew = !before.nodes.some(({ address }) => address === to)
  const joined = after.nodes.some(({ address, startedAt }) => address === to && startedAt > left.startedAt)
  return isNew || joined ? 'a node joined, and partitions are spread evenly' : 'partitions are spread evenly'
}
