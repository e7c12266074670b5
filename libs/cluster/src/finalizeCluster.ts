import { type Actor, type Command, errorFromWire, KirokuError, type Reply } from '@kiroku/protocol'
import type { NatsConnection } from '@nats-io/nats-core'
import { clusterStatus } from './clusterStatus.ts'
import { finalizable } from './finalizable.ts'

/** What a finalization came to. */
export interface Finalized {
  readonly clusterVersion: number
  /** Partitions in which it was lower before. */
  readonly raised: readonly number[]
}

/**
 * Puts the feature level of the nodes in force, partition by partition; repeated after a failure, it goes on with those that are
 * left. Errors: `NotFinalized` (a live node does not read it), `Unavailable` and others of a partition.
 */
export const finalizeCluster = async (
  nc: NatsConnection,
  log: string,
  request: (partition: number, commands: readonly Command[]) => Promise<Reply>,
  by: Actor,
): Promise<Finalized> => {
  const status = await clusterStatus(nc, log)
  const version = finalizable(status)
  const raised: number[] = []
  for (const { partition } of status.partitions) {
    const { answers } = await request(partition, [{ type: 'RaiseClusterVersion', version, by }])
    const [answer] = answers
    if (answer?.error !== undefined) throw errorFromWire(answer.error)
    if (answer === undefined) throw new KirokuError('Unavailable', `partition ${partition} did not answer`)
    if ((answer.ok as { readonly raised: boolean }).raised) raised.push(partition)
  }
  return { clusterVersion: version, raised }
}
