import { limits, type Redrive } from '@kiroku/protocol'
import type { QueueState, Subscription } from '../state/QueueState.ts'
import { failRedrive } from './redriveRecord.ts'

/** Redrives that only count what they would move. They are not on record, and end with the ownership. */
export class DryRuns {
  readonly #byQueue = new Map<QueueState, Redrive[]>()
  /** Those that are not done yet. */
  readonly running = new Set<Redrive>()

  /** The latest of a queue, oldest first. */
  of(queue: QueueState): readonly Redrive[] {
    return this.#byQueue.get(queue) ?? []
  }

  /** Begins one; of too many the oldest is forgotten. */
  begin(queue: QueueState, redrive: Redrive): void {
    const runs = this.#byQueue.get(queue)
    if (runs === undefined) this.#byQueue.set(queue, [redrive])
    else if (runs.push(redrive) > limits.redrivesKept) this.running.delete(runs.shift()!)
    this.running.add(redrive)
  }

  /** Fails those of a subscription that is reset or deleted. */
  fail(sub: Subscription, now: number): void {
    for (const redrive of this.of(sub.queue)) {
      if (redrive.sub !== sub.id || redrive.state !== 'running') continue
      failRedrive(redrive, now)
      this.running.delete(redrive)
    }
  }

  drop(queue: QueueState): void {
    for (const redrive of this.of(queue)) this.running.delete(redrive)
    this.#byQueue.delete(queue)
  }
}
