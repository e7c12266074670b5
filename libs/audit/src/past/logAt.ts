import type { Log } from '@kiroku/log'
import { describeQueues, type PartitionState } from '@kiroku/partition'
import { type QueueDescription } from '@kiroku/protocol'
import { type PastOptions, type MissingPartition } from './PastLog.ts'
import { PastReader } from './PastReader.ts'
import type { AskedMoment, QueueOverview } from './QueueMoment.ts'
import { overviewOf, type DescribedPart } from './overviewOf.ts'

/** A partition as of the moment. */
export interface MomentPartition {
  readonly partition: number
  /** Last record that the moment contains; 0: the partition begins later. */
  readonly seq: number
  /** Partition time of the last frame up to there, in ms. */
  readonly at: number
  readonly epoch: number
  /** Name of its owner then. */
  readonly owner?: string
}

/** A whole log as of a moment. */
export interface LogMoment {
  /** The requested time, or that of the requested record. */
  readonly at: number
  /** By name. */
  readonly queues: readonly QueueOverview[]
  readonly partitions: readonly MomentPartition[]
  /** Partitions that cannot be read, such as those with a damaged log; no count includes them. */
  readonly missing: readonly MissingPartition[]
}

/**
 * All queues of a log at a moment: counts and settings, with one replay per partition, whatever the number of
 * queues. Where some partitions cannot be read, it shows the others. Errors: `FutureMoment`, `BeyondRecord`,
 * `InvalidArgument`, and what reading the log throws.
 */
export const logAt = async (log: Log, asked: AskedMoment, options: PastOptions): Promise<LogMoment> => {
  const looker = new PastReader(log, options)
  try {
    const { at, all, missing } = await looker.all(asked)
    const described = new Map(
      all.map(({ partition, seq, state }) => [partition, describeAll(partition, seq, state, at)]),
    )
    const queues: QueueOverview[] = []
    for (const { place, description } of [...described.values()].flatMap((queues) => [...queues.values()])) {
      // A part is listed with its home.
      if (description.home !== undefined) continue
      const places: DescribedPart[] = [{ place, description }]
      for (const { partition, queue } of description.spread?.parts ?? []) {
        const part = partition === place.partition ? undefined : described.get(partition)?.get(queue)
        if (part !== undefined) places.push(part)
      }
      queues.push(overviewOf(description.name, at, places))
    }
    return {
      at,
      queues: queues.sort((a, b) => (a.queue < b.queue ? -1 : 1)),
      partitions: all.map(({ partition, seq, state: { at, epoch, node } }) => ({
        partition,
        seq,
        at,
        epoch,
        ...(node === '' ? {} : { owner: node }),
      })),
      missing,
    }
  } finally {
    await looker.close()
  }
}

/** The queues and parts in one partition by their ids. */
const describeAll = (
  partition: number,
  seq: number,
  state: PartitionState,
  now: number,
): Map<number, DescribedPart> => {
  const descriptions: QueueDescription[] = describeQueues(state, state.queues.values(), now)
  return new Map(
    descriptions.map((description) => [
      description.queue,
      { place: { partition, queue: description.queue, seq, at: state.at }, description },
    ]),
  )
}
