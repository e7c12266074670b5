import { randomBytes } from 'node:crypto'
import { toKirokuError } from '@kiroku/nats'
import { KirokuError } from '@kiroku/protocol'
import { JetStreamApiError, StorageType, type JetStreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/nats-core'
import type { CreateLog } from './CatalogueEntry.ts'
import { partitionsMax, replicasMax } from './limits.ts'
import { probeName } from './names.ts'

/**
 * Refuses a log that cannot be created or opened, before anything of it is written. Errors:
 * `InvalidArgument`.
 */
export const checkCreate = async (
  nc: NatsConnection,
  jsm: JetStreamManager,
  log: string,
  { partitions, replicas = 1 }: CreateLog,
): Promise<void> => {
  if (!isWhole(partitions, partitionsMax))
    throw new KirokuError('InvalidArgument', `a log has 1 to ${partitionsMax} partitions, not ${partitions}`)
  if (!isWhole(replicas, replicasMax))
    throw new KirokuError('InvalidArgument', `a log has 1 to ${replicasMax} replicas, not ${replicas}`)
  const problem = await copyProblem(nc, jsm, log, replicas)
  if (problem !== undefined) throw new KirokuError('InvalidArgument', problem)
}

/** Whether NATS can keep this many copies of a log's streams now. */
export const canCopy = async (
  nc: NatsConnection,
  jsm: JetStreamManager,
  log: string,
  replicas: number,
): Promise<boolean> => (await copyProblem(nc, jsm, log, replicas)) === undefined

const isWhole = (n: number, max: number): boolean => Number.isInteger(n) && n >= 1 && n <= max

/**
 * Only NATS knows how many servers of a cluster have room: a stream is created and removed again to find out.
 */
const copyProblem = async (
  nc: NatsConnection,
  jsm: JetStreamManager,
  log: string,
  replicas: number,
): Promise<string | undefined> => {
  if (replicas === 1) return undefined
  const needs = `${replicas} replicas need a NATS cluster with JetStream on at least ${replicas} servers`
  if (nc.info?.cluster === undefined) return `${needs}; this is a single server, which keeps 1`
  // A stream that others create and remove at the same moment has no answer for some of them.
  const { stream, subject } = probeName(log, randomBytes(4).toString('hex'))
  try {
    await jsm.streams.add({
      name: stream,
      subjects: [subject],
      storage: StorageType.File,
      num_replicas: replicas,
    })
    await jsm.streams.delete(stream)
    return undefined
  } catch (cause) {
    if (!(cause instanceof JetStreamApiError)) throw toKirokuError(cause, 'cannot check the replicas')
    return `${needs}; NATS says: ${cause.message}`
  }
}
