import { countEvent, tallyFields } from '@kiroku/audit'
import type { PartitionState } from '@kiroku/partition'
import type { LogEvent } from '@kiroku/protocol'

/**
 * Counts what a frame does to each queue, by the ids of the partition. A frame is kept whole or not at all.
 */
export class FrameTally {
  readonly #queues = new Map<number, Float64Array>()

  /** Sees an event before it is applied to `state`. */
  event(event: LogEvent, state: PartitionState): void {
    if (!('queue' in event)) return
    const { queue } = event
    countEvent(event, state, (field, by) => {
      let counts = this.#queues.get(queue)
      if (counts === undefined) this.#queues.set(queue, (counts = new Float64Array(tallyFields.length)))
      counts[tallyFields.indexOf(field)]! += by
    })
  }

  /** The counts since the last call: per queue, in the order of `tallyFields`. */
  take(each: (queue: number, counts: Float64Array) => void): void {
    for (const [queue, counts] of this.#queues) each(queue, counts)
    this.#queues.clear()
  }
}
