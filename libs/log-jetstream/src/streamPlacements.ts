import { requireJetStream, toKirokuError } from '@kiroku/nats'
import type { StreamInfo } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/nats-core'
import { streamName, subjectName } from './names.ts'

/** A server that keeps a copy of a stream. */
export interface StreamReplica {
  readonly server: string
  /** It has all that the leader has, or is about to. */
  readonly isCurrent: boolean
  readonly isOffline: boolean
  /** Operations that it has still to apply. */
  readonly lag: number
  /** How long ago the leader heard of it, in ms. */
  readonly heardMs: number
}

/** Where the stream of a partition lies. */
export interface StreamPlacement {
  /** The server that leads it; absent: it has no leader now. */
  readonly leader?: string
  /** The other servers that keep it; none with a single server, or where one copy is enough. */
  readonly replicas: readonly StreamReplica[]
}

/** Where the streams of a log lie, by partition; one that nobody tells of is left out. Errors: those of JetStream. */
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
    throw toKirokuError(cause, `cannot ask where the streams of log ${log} lie`)
  }
  return placements
}

/** A server that is no part of a cluster says nothing of one: it has the stream for itself. */
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
