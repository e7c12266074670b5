import { count, shortDuration } from '../../parts/format.ts'
import type { ClusterPartition, StreamReplica } from './Cluster.ts'

/** A NATS server: the partitions whose streams it leads, and those that it has copies of. */
export interface Server {
  readonly name: string
  readonly leads: readonly number[]
  readonly copies: readonly (StreamReplica & { readonly partition: number })[]
}

/** The servers that keep the streams of the partitions, by name. */
export const serversOf = (partitions: readonly ClusterPartition[]): Server[] => {
  const leads = new Map<string, number[]>()
  const copies = new Map<string, Server['copies'][number][]>()
  for (const { partition, stream } of partitions) {
    if (stream?.leader !== undefined)
      leads.set(stream.leader, [...(leads.get(stream.leader) ?? []), partition])
    for (const replica of stream?.replicas ?? [])
      copies.set(replica.server, [...(copies.get(replica.server) ?? []), { ...replica, partition }])
  }
  return [...new Set([...leads.keys(), ...copies.keys()])]
    .sort()
    .map((name) => ({ name, leads: leads.get(name) ?? [], copies: copies.get(name) ?? [] }))
}

/** Partitions whose streams are known to have no leader. */
export const leaderless = (partitions: readonly ClusterPartition[]): number[] =>
  partitions.flatMap(({ partition, stream }) =>
    stream !== undefined && stream.leader === undefined ? [partition] : [],
  )

/** Healthy servers are heard from every second; NATS itself calls one offline much later. */
const silentMs = 5_000

/** The state of a copy of a stream. */
export const standOf = ({ isCurrent, isOffline, lag, heardMs }: StreamReplica): string => {
  if (isOffline) return 'offline'
  if (heardMs >= silentMs) return `silent for ${shortDuration(heardMs)}`
  return isCurrent && lag === 0 ? 'current' : `${count(lag)} behind`
}
