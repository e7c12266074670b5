import type { PartitionState } from '../state/PartitionState.ts'
import type { QueueState } from '../state/QueueState.ts'
import { Heap } from '../store/Heap.ts'
import { freeSlot } from '../store/LiveSlab.ts'
import { readyRuns } from '../store/readyRuns.ts'

/** Messages of a queue that came within one second. */
interface Second {
  readonly second: number
  /** When the first of them came, in ms of partition time. */
  firstAt: number
  /** How many are not final; a message counts once for each subscription. */
  count: number
}

const secondMs = 1_000
/** Seconds that are over, and are forgotten with each new one. */
const forgottenAtOnce = 2

/** How old the messages of one queue are. */
class QueueAges {
  readonly #seconds = new Map<number, Second>()
  readonly #inOrder = new Heap<Second>(({ second }) => second)
  /** The one that was counted last: messages come and end together. */
  #last: Second | undefined

  count(at: number, messages: number): void {
    const second = Math.floor(at / secondMs)
    let found = this.#last
    if (found?.second !== second) this.#last = found = this.#seconds.get(second) ?? this.#begin(second)
    if (messages > 0) found.firstAt = found.count === 0 ? at : Math.min(found.firstAt, at)
    found.count += messages
  }

  get oldestAt(): number | undefined {
    while (this.#inOrder.peek()?.count === 0) this.#forget()
    return this.#inOrder.peek()?.firstAt
  }

  #begin(second: number): Second {
    for (let i = 0; i < forgottenAtOnce && this.#inOrder.peek()?.count === 0; i++) this.#forget()
    const begun = { second, firstAt: 0, count: 0 }
    this.#seconds.set(second, begun)
    this.#inOrder.push(begun)
    return begun
  }

  #forget(): void {
    const { second } = this.#inOrder.pop()!
    this.#seconds.delete(second)
    if (this.#last?.second === second) this.#last = undefined
  }
}

/**
 * Knows when the oldest message of each queue that is not final came, to the second where others of its second are gone:
 * counts by second instead of a pass over all messages whenever someone asks.
 */
export class Ages {
  readonly #queues = new Map<QueueState, QueueAges>()

  /** Begins with one pass over all messages. */
  constructor(state: PartitionState) {
    const { live, runs } = state
    for (let slot = 0; slot < live.top; slot++)
      if (live.state[slot] !== freeSlot)
        this.count(state.subscriptions[live.owner[slot]!]!.queue, live.enqueuedAt[slot]!, 1)
    for (const queue of state.queues.values())
      for (const sub of queue.subs)
        for (const run of readyRuns(state, sub)) this.count(queue, runs.enqueuedAt(run), runs.count(run))
    for (const { queue, run } of state.delayedRuns.items)
      this.count(queue, runs.enqueuedAt(run), runs.count(run))
  }

  /** Messages that came at `at`, in ms, are there, or with a negative number no more. */
  count(queue: QueueState, at: number, messages: number): void {
    let ages = this.#queues.get(queue)
    if (ages === undefined) this.#queues.set(queue, (ages = new QueueAges()))
    ages.count(at, messages)
  }

  /** When the oldest message of the queue came, in ms of partition time; undefined: there is none. */
  oldestAt(queue: QueueState): number | undefined {
    return this.#queues.get(queue)?.oldestAt
  }

  forget(queue: QueueState): void {
    this.#queues.delete(queue)
  }
}
