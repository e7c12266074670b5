import { lettersOf, type Ownership } from '@kiroku/partition'
import type { PartitionDescription } from '@kiroku/protocol'
import type { ActorParts } from './ActorParts.ts'
import type { ActorState } from './lifecycle.ts'

/** An ownership as its actor knows it. */
interface Owned {
  readonly node: string
  readonly life: ActorState
  readonly epoch: number
  /** The store's time of its fence, in ms since 1970; 0 before that. */
  readonly epochAt: number
  readonly storedSeq: number
  /** Of the node. */
  readonly memory: PartitionDescription['memory']
}

/** A partition as status commands show it; without a state where a damaged log never became one. */
export const describeOwned = (
  partition: number,
  { node, life, epoch, epochAt, storedSeq, memory }: Owned,
  own: Ownership | undefined,
  parts: Pick<ActorParts, 'checkpoints' | 'storage' | 'partitionTime' | 'metrics'>,
): PartitionDescription => {
  const state = own?.state
  const { checkpoints, storage, partitionTime, metrics } = parts
  const described = checkpoints.describe()
  let outbox = 0
  for (const lane of state?.outbox.values() ?? []) outbox += lane.entries.length
  const held =
    own === undefined || own.held.size === 0 ? [] : lettersOf(own).filter((lane) => lane.held !== undefined)
  return {
    partition,
    epoch,
    epochAt,
    node,
    state: life,
    firstSeq: (state?.trimmedTo ?? 0) + 1,
    lastSeq: storedSeq,
    bytes: storage.bytes,
    queues: state?.queues.size ?? 0,
    outbox,
    ...(held.length === 0 ? {} : { held }),
    checkpointSeq: checkpoints.lastSeq,
    ...(state === undefined ? {} : { clusterVersion: state.clusterVersion }),
    ...(life === 'Active' || life === 'Confirming' ? { clock: partitionTime.describe() } : {}),
    storage: { ...storage.describe(), earlyTrims: metrics.earlyTrims },
    ...(memory === undefined ? {} : { memory }),
    ...(described === undefined ? {} : { checkpoints: described }),
  }
}
