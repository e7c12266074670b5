import { type Actor, KirokuError } from '@kiroku/protocol'
import type { NatsConnection } from '@nats-io/nats-core'
import { type ClusterStatus, clusterStatus } from './clusterStatus.ts'
import { KvBucket } from './KvBucket.ts'
import { locksBucket } from './PartitionLock.ts'
import { type PartitionPin, pinKey } from './PartitionPin.ts'

/** What a pin came to. */
export interface Pinned {
  readonly partition: number
  readonly host: string
  /** Addresses of nodes whose version knows no pins: until they are upgraded, no node heeds any. */
  readonly heedless: readonly string[]
}

/**
 * Has a partition stay on a host for as long as a node runs there.
 *
 * @param host default: where its owner runs
 * @errors `InvalidArgument` (no such partition, or no node on that host), `Unavailable` (it has no owner to stay with), `NatsUnreachable`, `Timeout`
 */
export const pinPartition = async (
  nc: NatsConnection,
  log: string,
  partition: number,
  host: string | undefined,
  by: Actor,
): Promise<Pinned> => {
  const status = await clusterStatus(nc, log)
  const { owner } = partitionIn(status, partition)
  const nodes = status.runners.filter(({ healthy, leaving }) => healthy && !leaving)
  const to = host ?? nodes.find(({ address }) => address === owner)?.host
  if (to === undefined)
    throw new KirokuError('Unavailable', `partition ${partition} has no owner to stay with; name a host`)
  if (!nodes.some((node) => node.host === to))
    throw new KirokuError(
      'InvalidArgument',
      `no node runs on ${to}; nodes run on ${[...new Set(nodes.map((node) => node.host))].join(', ') || 'no host'}`,
    )
  await write(nc, log, partition, { host: to, by, atMs: Date.now() })
  const heedless = nodes.filter(({ zone }) => zone === undefined).map(({ address }) => address)
  return { partition, host: to, heedless }
}

/**
 * Lets a partition move again.
 *
 * @returns whether it was pinned
 * @errors `InvalidArgument` (no such partition), `NatsUnreachable`, `Timeout`
 */
export const unpinPartition = async (
  nc: NatsConnection,
  log: string,
  partition: number,
  by: Actor,
): Promise<boolean> => {
  const { pin } = partitionIn(await clusterStatus(nc, log), partition)
  if (pin === undefined) return false
  await write(nc, log, partition, { by, atMs: Date.now() })
  return true
}

const partitionIn = ({ log, partitions }: ClusterStatus, partition: number) => {
  const found = partitions[partition]
  if (found === undefined)
    throw new KirokuError(
      'InvalidArgument',
      `${partition} is no partition of the log "${log}", which has ${partitions.length}, from 0`,
    )
  return found
}

const write = (nc: NatsConnection, log: string, partition: number, pin: PartitionPin): Promise<number> =>
  KvBucket.open<PartitionPin>(nc, locksBucket(log)).put(pinKey(partition), pin)
