import { requireJetStream, toKirokuError } from '@kiroku/nats'
import type { StreamInfo } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/nats-core'
import { streamName, subjectName } from './names.ts'

/** A server that keeps a copy of a stream. */
export interface StreamReplica {
  readonly server: string
  /** It has everything the leader has, or nearly so. */
  readonly isCurrent: boolean
  readonly isOffline: boolean
  /** Operations that it still has to apply. */
  readonly lag: number
  /** How long ago the leader heard from it, in ms. */
  readonly heardMs: number
}

/** The placement of a partition's stream. */
export interface StreamPlacement {
  /** The server that leads it; absent: it has no leader. */
  readonly leader?: string
  /** The other servers that keep a copy; none with a single server or a single replica. */
  readonly replicas: readonly StreamReplica[]
}

/** The placement of a log's streams, by partition; unknown ones are left out. Errors: those of JetStream. */
export const streamPlacements = async (
  nc: NatsConnection,
  log: string,
  partitions: number,
): Promise<ReadonlyMap<number, StreamPlacement>> => {
  const byStream = new Map(Array.from({ length: partitions }, (_, n) => [streamName(log, n), n]))
  const placements = new Map<number, StreamPlacement>()
  const jsm = await requireJetStream(nc)
  try {
    for await (const info of jsm.streams.list(subjectName(log, '*'))) {
      const partition = byStream.get(info.config.name)
      if (partition !== undefined) placements.set(partition, placementOf(info, nc.info?.server_name))
    }
  } catch (cause) {
    throw toKirokuError(cause, `cannot read the placement of the streams of log ${log}`)
  }
  return placements
}

/** A server outside a cluster reports none: it is the stream's only one. */
const placementOf = (
  { cluster }: Pick<StreamInfo, 'cluster'>,
  self: string | undefined,
): StreamPlacement => ({
  ...leaderOf(cluster === undefined ? self : cluster.leader),
  replicas: (cluster?.replicas ?? []).map(({ name, current, offline, lag, active }): StreamReplica => ({
    server: name,
    isCurrent: current,
    isOffline: offline,
    lag: lag ?? 0,
    heardMs: Math.round(active / 1_000_000),
  })),
})

const leaderOf = (leader: string | undefined): { readonly leader?: string } =>
  leader === undefined || leader === '' ? {} : { leader }
