import type { NatsConnection } from '@nats-io/nats-core'
import { heartbeatTtlMsDefault } from './ClusterLimits.ts'
import { KvBucket } from './KvBucket.ts'
import { type RunnerRecord, runnersBucket } from './RunnerRecord.ts'

/**
 * The TTL in ms that the nodes of a log go by: that of the bucket, which `wantedMs` sets as long as no node runs. A node that runs
 * trusts its locks for the TTL that it knows.
 *
 * @param wantedMs undefined: whatever is there, or the default
 * @throws KirokuError `NatsUnreachable`, `JetStreamDisabled`, `Timeout`
 */
export const agreedTtlMs = async (
  nc: NatsConnection,
  log: string,
  wantedMs: number | undefined,
): Promise<number> => {
  const name = runnersBucket(log)
  const thereMs = await KvBucket.ttlMs(nc, name)
  if (thereMs === undefined) return wantedMs ?? heartbeatTtlMsDefault
  if (wantedMs === undefined || wantedMs === thereMs) return thereMs
  const nodes = await KvBucket.open<RunnerRecord>(nc, name).list()
  if (nodes.some(({ value }) => value !== undefined)) return thereMs
  await KvBucket.setTtlMs(nc, name, wantedMs)
  return wantedMs
}
