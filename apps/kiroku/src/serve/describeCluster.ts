import type { Client } from '@kiroku/client'
import { clusterStatus, type ClusterStatus } from '@kiroku/cluster'
import { catalogueStream, streamPlacements, type StreamPlacement } from '../log/logAdapter.ts'
import { findOutage, type connect } from '@kiroku/nats'
import { isKirokuError, KirokuError, type PartitionDescription } from '@kiroku/protocol'
import { within } from './within.ts'

/** A connection to NATS. */
export type Nats = Awaited<ReturnType<typeof connect>>

/** How long JetStream may take, in ms. */
const checkMs = 1_000

/** How long the owners may take, in ms, and in an outage: without their log's directory they are not even found. */
const ownersMs = 2_500
const ownersInOutageMs = 500

/**
 * Nodes and partitions of a log: from the locks, the owners' descriptions, and JetStream's placement of the
 * log. In an outage, what is known without JetStream, and the reason; within seconds.
 * Errors: that reason where nothing is known, those of `clusterStatus`.
 *
 * @param findOut why JetStream stores nothing, within a second; undefined: it does
 */
export const describeCluster = async (
  nats: Nats,
  log: string,
  client: Pick<Client, 'partitions'>,
  findOut = () => findOutage(nats, checkMs, catalogueStream),
) => {
  const describing = client.partitions()
  describing.catch(() => {})
  const [found, read] = await Promise.all([findOut(), clusterStatus(nats, log).catch(toError)])
  const outage = found ?? (read instanceof Error ? undefined : withoutNodes(read))
  const descriptions = await (outage === undefined
    ? within(describing, ownersMs, none)
    : within(describing.catch(none), ownersInOutageMs, none))
  if (read instanceof Error) throw outage ?? read
  const status = read
  // The rest is useful even while JetStream does not report this.
  const streams =
    outage === undefined
      ? await streamPlacements(nats, log, status.partitions.length).catch(() => undefined)
      : undefined
  const byPartition = new Map(descriptions.map((description) => [description.partition, description]))
  const versions = descriptions.flatMap(({ clusterVersion }) => clusterVersion ?? [])
  return {
    log,
    // While a finalization is not through, its partitions differ.
    ...(versions.length === 0 ? {} : { clusterVersion: Math.min(...versions) }),
    ...outageOf(outage),
    nodes: status.runners.map((runner) => ({
      ...runner,
      partitions: status.partitions
        .filter(({ owner }) => owner === runner.address)
        .map(({ partition }) => partition),
    })),
    partitions: status.partitions.map(
      ({ partition, owner, lockedAt, standby, standbySeq, pin }): ClusterPartition => ({
        partition,
        owner,
        lockedAt,
        ...(pin === undefined ? {} : { pin }),
        ...standbyOf(standby, standbySeq, byPartition.get(partition)),
        ...withoutNumber(byPartition.get(partition)),
        ...streamOf(streams?.get(partition)),
      }),
    ),
  }
}

/** Why nothing can be served where JetStream answers. */
const withoutNodes = ({ log, runners, partitions }: ClusterStatus): KirokuError | undefined => {
  if (runners.some(({ healthy }) => healthy)) return undefined
  return new KirokuError(
    'Unavailable',
    partitions.length === 0
      ? `no engine has served a log "${log}" on this NATS`
      : `no node of log "${log}" has a heartbeat: none runs, or JetStream stores nothing`,
  )
}

/** Why nothing can be served or stored. */
export type Outage = Pick<KirokuError, 'id' | 'message' | 'help'>

/**
 * A partition: the holder of its lock, its owner's description if it answers, and the placement of its
 * stream.
 */
export type ClusterPartition = Pick<
  ClusterStatus['partitions'][number],
  'partition' | 'owner' | 'lockedAt'
> & {
  readonly stream?: StreamPlacement
  /** Address of the node that follows its log, to take it over; absent: there is none. */
  readonly standby?: string
  /** How many records that node had not read yet, up to a second ago; absent: the owner does not answer. */
  readonly standbyBehind?: number
  /** The host that it stays on, and who said so; absent: it moves. */
  readonly pin?: NonNullable<ClusterStatus['partitions'][number]['pin']>
} & Partial<Omit<PartitionDescription, 'partition'>>

/** As answers say it; an error loses its message in JSON. */
const outageOf = (outage: KirokuError | undefined): { readonly outage?: Outage } => {
  if (outage === undefined) return {}
  const { id, message, help } = outage
  return { outage: { id, message, help } }
}

const none = (): PartitionDescription[] => []

const toError = (thrown: unknown): KirokuError =>
  isKirokuError(thrown) ? thrown : new KirokuError('Internal', String(thrown), { cause: thrown })

const streamOf = (stream: StreamPlacement | undefined) => (stream === undefined ? {} : { stream })

const standbyOf = (
  standby: string | undefined,
  seq: number | undefined,
  owned: PartitionDescription | undefined,
) => {
  if (standby === undefined || seq === undefined) return {}
  return owned === undefined ? { standby } : { standby, standbyBehind: Math.max(0, owned.lastSeq - seq) }
}

const withoutNumber = (description: PartitionDescription | undefined) => {
  if (description === undefined) return {}
  const { partition: _, ...rest } = description
  return rest
}
