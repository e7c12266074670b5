import type { QueueCounts, TransitionCount } from '@kiroku/protocol'

/**
 * What happened to a queue, in messages. `waiting` is the change in the number of messages that are due and
 * not final.
 */
export interface Tally {
  readonly sent: number
  readonly delivered: number
  readonly redelivered: number
  readonly committed: number
  readonly deadLettered: number
  readonly discarded: number
  readonly waiting: number
}

const fields = [
  'sent',
  'delivered',
  'redelivered',
  'committed',
  'deadLettered',
  'discarded',
  'waiting',
] as const satisfies readonly (keyof Tally)[]

/** Seconds that are kept, including the current one. */
const secondsMax = 91

/**
 * What happened to one queue in each of the last 90 seconds, in a ring of numbers: ten thousand queues take 25 MB.
 * Seconds are whole ones of the reader's clock.
 */
export class QueueActivity {
  readonly #values = new Int32Array(secondsMax * fields.length)
  #last = Number.NEGATIVE_INFINITY

  /** Adds what happened in a second. */
  add(
    second: number,
    transitions: readonly TransitionCount[],
    change: Partial<Record<keyof QueueCounts, number>>,
  ): void {
    this.#advance(second)
    const at = (second % secondsMax) * fields.length
    const values = this.#values
    let delivered = 0
    for (const { to, count } of transitions) if (to === 'Inflight') delivered += count
    values[at]! += change.sent ?? 0
    values[at + 1]! += delivered
    values[at + 2]! += change.redelivered ?? 0
    values[at + 3]! += change.committed ?? 0
    values[at + 4]! += change.deadLettered ?? 0
    values[at + 5]! += change.discarded ?? 0
    values[at + 6]! += (change.available ?? 0) + (change.inflight ?? 0) + (change.waitingRetry ?? 0)
  }

  /** The sum of the seconds from `begin` on and before `end`, divided. */
  sum(begin: number, end: number, by: number): Tally {
    const sums = [0, 0, 0, 0, 0, 0, 0]
    const first = Math.max(begin, this.#last - secondsMax + 1, 0)
    for (let second = first; second < end && second <= this.#last; second++) {
      const at = (second % secondsMax) * fields.length
      for (let i = 0; i < fields.length; i++) sums[i]! += this.#values[at + i]!
    }
    return {
      sent: sums[0]! / by,
      delivered: sums[1]! / by,
      redelivered: sums[2]! / by,
      committed: sums[3]! / by,
      deadLettered: sums[4]! / by,
      discarded: sums[5]! / by,
      waiting: sums[6]! / by,
    }
  }

  /** What happened in one second. */
  at(second: number, of: keyof Tally): number {
    if (second > this.#last || second <= this.#last - secondsMax) return 0
    return this.#values[(second % secondsMax) * fields.length + fields.indexOf(of)]!
  }

  #advance(second: number): void {
    const first = Math.max(this.#last + 1, second - secondsMax + 1, 0)
    for (let each = first; each <= second; each++) {
      const at = (each % secondsMax) * fields.length
      this.#values.fill(0, at, at + fields.length)
    }
    this.#last = Math.max(this.#last, second)
  }
}

/** For a queue without changes. */
export const noActivity: Tally = new QueueActivity().sum(0, 0, 1)
