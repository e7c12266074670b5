import { isKirokuError } from '@kiroku/protocol'
import type { NatsConnection } from '@nats-io/nats-core'
import { KvBucket, type KvEntry } from './KvBucket.ts'
import { locksBucket, partitionOfKey, type PartitionLock } from './PartitionLock.ts'
import { type PartitionPin, pinIn } from './PartitionPin.ts'
import { isCertainlyDead, processIdentity } from './ProcessIdentity.ts'
import { type RefusedPartition, type RunnerRecord, runnersBucket } from './RunnerRecord.ts'

/** One node. */
export interface RunnerStatus {
  /** Random, new for every process. */
  readonly address: string
  readonly host: string
  readonly pid: number
  /** ISO 8601. */
  readonly startedAt: string
  /** Its heartbeat is alive, and it is not known to be dead. */
  readonly healthy: boolean
  /** It is handing its partitions over. */
  readonly leaving: boolean
  /** Version of its package; undefined: it is too old to say. */
  readonly version: string | undefined
  /** The highest feature level that it reads and writes; undefined: it is too old to say. */
  readonly featureLevel: number | undefined
  /** Its share of the partitions, relative to the others'; undefined: it is too old to say. */
  readonly weight: number | undefined
  /** Where it stands; empty: it does not say. Undefined: its version knows neither zones nor pins. */
  readonly zone: string | undefined
  /** A partition that it cannot read; undefined: none was found. */
  readonly refused: RefusedPartition | undefined
}

/** One partition. */
export interface PartitionStatus {
  readonly partition: number
  /** Address of the healthy node that holds it; undefined while it is free. */
  readonly owner: string | undefined
  /** When that node took its lock, in ms since 1970; undefined while it is free. */
  readonly lockedAt: number | undefined
  /** Address of the healthy node that has loaded it and follows its log; undefined: there is none. */
  readonly standby: string | undefined
  /** The last sequence that the standby had read when its last heartbeat left. */
  readonly standbySeq: number | undefined
  /** The host that it stays on while a node runs there, and who said so; undefined: it moves. */
  readonly pin: (PartitionPin & { readonly host: string }) | undefined
}

/** The nodes and what each runs, according to the buckets. */
export interface ClusterStatus {
  readonly log: string
  readonly runners: ReadonlyArray<RunnerStatus>
  readonly partitions: ReadonlyArray<PartitionStatus>
}

/** A log that was never served has no buckets, which is not an error. */
const listOrNothing = async <A>(bucket: KvBucket<A>): Promise<ReadonlyArray<KvEntry<A>>> => {
  try {
    return await bucket.list()
  } catch (error) {
    if (isKirokuError(error) && error.id === 'JetStreamDisabled') return []
    throw error
  }
}

/**
 * Reads the placement of a log without taking part in it.
 *
 * @throws KirokuError `NatsUnreachable`, `Timeout`
 */
export const clusterStatus = async (nc: NatsConnection, log: string): Promise<ClusterStatus> => {
  const [runnerEntries, lockEntries] = await Promise.all([
    listOrNothing(KvBucket.open<RunnerRecord>(nc, runnersBucket(log))),
    listOrNothing(KvBucket.open<unknown>(nc, locksBucket(log))),
  ])
  const { machine } = processIdentity()
  const records = runnerEntries.flatMap((entry) => (entry.value === undefined ? [] : [entry.value]))
  const runners = records
    .map((record): RunnerStatus => ({
      address: record.address,
      host: record.host,
      pid: record.pid,
      startedAt: record.startedAt,
      healthy: !isCertainlyDead(record, machine),
      leaving: record.leaving,
      version: record.version,
      featureLevel: record.featureLevel,
      weight: record.weight,
      zone: record.zone,
      refused: record.refused,
    }))
    .sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1))
  const healthy = new Set(runners.flatMap((runner) => (runner.healthy ? [runner.address] : [])))
  const owners = new Map<number, Pick<PartitionStatus, 'owner' | 'lockedAt'>>()
  let partitionCount = Math.max(0, ...records.map((record) => record.partitions))
  for (const { key, value, writtenAt } of lockEntries) {
    const partition = partitionOfKey(key)
    if (partition === undefined) continue
    partitionCount = Math.max(partitionCount, partition + 1)
    const lock = value as PartitionLock | undefined
    if (lock !== undefined && healthy.has(lock.owner))
      owners.set(partition, { owner: lock.owner, lockedAt: writtenAt })
  }
  const pins = new Map(
    lockEntries.flatMap((entry): (readonly [number, NonNullable<PartitionStatus['pin']>])[] => {
      const [partition, pin] = pinIn(entry) ?? []
      return partition === undefined || pin?.host === undefined
        ? []
        : [[partition, { ...pin, host: pin.host }]]
    }),
  )
  const partitions = Array.from({ length: partitionCount }, (_, partition): PartitionStatus => {
    const { owner, lockedAt } = owners.get(partition) ?? {}
    const followers = records.flatMap(({ address, standby }) => {
      const seq = standby?.[partition]
      return seq === undefined || address === owner || !healthy.has(address) ? [] : [{ address, seq }]
    })
    // While the next one loads, the one before is still there.
    const [nearest] = followers.sort((a, b) => b.seq - a.seq)
    const pin = pins.get(partition)
    return { partition, owner, lockedAt, standby: nearest?.address, standbySeq: nearest?.seq, pin }
  })
  return { log, runners, partitions }
}
