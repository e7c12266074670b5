import { clockTrouble, storageTrouble } from '@kiroku/protocol'
import type { LogInfo } from '../../data/queueInfos.ts'
import { bytes } from '../../parts/format.ts'
import type { Cluster, ClusterNode, ClusterPartition } from './Cluster.ts'

/** The health of a partition, most urgent first. */
type Health = 'well' | 'moving' | 'silent' | 'nobody' | 'quarantined' | 'unreadable'

/** A partition as shown, now or in the past; unknown fields are absent. */
export interface PartitionView extends Omit<ClusterPartition, 'owner'> {
  readonly owner?: { readonly name: string; readonly index: number }
  readonly health: Health
  /** Messages that are not final. */
  readonly backlog?: number
  /** Records that the auditor still has to read. */
  readonly auditLag?: number
  /** How long its owner has had it, in ms. */
  readonly ownedMs?: number
  /** Records appended per second since the previous answer. */
  readonly appends?: number
}

/** A node's name: its machine and process. */
export const nodeName = ({ host, pid }: Pick<ClusterNode, 'host' | 'pid'>): string => `${host}-${pid}`

const healthOf = ({ owner, state }: ClusterPartition): Health => {
  if (state === 'Quarantined') return 'quarantined'
  if (owner === undefined) return 'nobody'
  if (state === undefined) return 'silent'
  return state === 'Active' ? 'well' : 'moving'
}

/** Messages that are not final, by partition; a part that did not say how many it has is left out. */
export const backlogs = (log: LogInfo | undefined): ReadonlyMap<number, number> => {
  const sums = new Map<number, number>()
  for (const { places } of log?.queues ?? [])
    for (const { partition, live = 0 } of places) sums.set(partition, (sums.get(partition) ?? 0) + live)
  return sums
}

/** An answer and when it came, in ms. */
export interface Answer {
  readonly cluster: Cluster
  readonly at: number
}

/** The partitions according to the last answer; the one before it shows how fast they grow. */
export const viewsNow = (
  { cluster, at }: Answer,
  before: Answer | undefined,
  log: LogInfo | undefined,
): PartitionView[] => {
  const waiting = backlogs(log)
  return cluster.partitions.map((partition) => {
    const { owner: address, ...rest } = partition
    const index = cluster.nodes.findIndex((node) => node.address === address)
    const audited = cluster.auditor?.partitions.find((each) => each.partition === partition.partition)
    const was = before?.cluster.partitions.find((each) => each.partition === partition.partition)
    const grew = (partition.lastSeq ?? Number.NaN) - (was?.lastSeq ?? Number.NaN)
    const since = partition.epochAt || partition.lockedAt
    const seconds = (at - (before?.at ?? at)) / 1_000
    return {
      ...rest,
      health: healthOf(partition),
      ...(index < 0 ? {} : { owner: { name: nodeName(cluster.nodes[index]!), index } }),
      ...(log === undefined ? {} : { backlog: waiting.get(partition.partition) ?? 0 }),
      ...(audited === undefined ? {} : { auditLag: Math.max(0, audited.lastSeq - audited.seq) }),
      ...(since === undefined ? {} : { ownedMs: Math.max(0, at - since) }),
      ...(Number.isNaN(grew) || seconds <= 0 ? {} : { appends: Math.max(0, grew) / seconds }),
    }
  })
}

/** The partitions as they were at a moment. */
export const viewsThen = (log: LogInfo): PartitionView[] => {
  const waiting = backlogs(log)
  const owners = [...new Set(log.partitions?.flatMap(({ owner }) => owner ?? []))].sort()
  const readable = (log.partitions ?? []).map(({ partition, seq, epoch, owner }): PartitionView => ({
    partition,
    lastSeq: seq,
    epoch,
    health: owner === undefined ? 'nobody' : 'well',
    ...(owner === undefined ? {} : { owner: { name: owner, index: owners.indexOf(owner) } }),
    backlog: waiting.get(partition) ?? 0,
  }))
  const missing = log.missing.map(({ partition }): PartitionView => ({ partition, health: 'unreadable' }))
  return [...readable, ...missing].sort((a, b) => a.partition - b.partition)
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** What to do when the store that all partitions share runs out of room. */
export const storageAdviceOf = (views: readonly PartitionView[]): string[] => {
  const storages = views.flatMap(({ storage }) => storage ?? [])
  const trouble = storageTrouble(storages, bytes)
  return trouble === undefined ? [] : [`${capital(trouble.what)}. ${trouble.advice}`]
}

/** What to do about an unhealthy partition; undefined if nothing. */
export const adviceOf = ({ partition, health, clock }: PartitionView): string | undefined => {
  switch (health) {
    case 'well': {
      const trouble = clock === undefined ? undefined : clockTrouble(partition, clock)
      return trouble === undefined ? undefined : `${capital(trouble.what)}. ${trouble.advice}`
    }
    case 'quarantined':
      return `Partition ${partition} is closed because its log is damaged. Run \`kiroku verify\` to see what is damaged, \`kiroku repair\` to see what would be lost, and \`kiroku repair --yes\` to reopen it. The others continue.`
    case 'nobody':
      return `Partition ${partition} has no owner: its queues take and deliver nothing. A healthy node takes it over within seconds; otherwise start one, and see \`kiroku doctor\`.`
    case 'silent':
      return `The owner of partition ${partition} does not answer for it. If that lasts, see \`kiroku doctor\` and the log of its node.`
    default:
      return undefined
  }
}
