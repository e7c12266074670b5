import type { QueueState } from '../state/QueueState.ts'
import { Heap } from '../store/Heap.ts'

/** A run that waits for its time. */
export class DelayedRun {
  readonly queue: QueueState
  readonly run: number
  /** Number of its first message. */
  readonly first: number
  dueAt: number
  /** Tag and group of its messages; empty: none. */
  readonly tag: string
  readonly group: string
  /** Its place in the heap; -1: it waits no more. */
  place = -1

  constructor(queue: QueueState, run: number, first: number, dueAt: number, tag: string, group: string) {
    this.queue = queue
    this.run = run
    this.first = first
    this.dueAt = dueAt
    this.tag = tag
    this.group = group
  }

  /** Another run of the same queue, tag and group. */
  like(run: number, first: number, dueAt = this.dueAt): DelayedRun {
    return new DelayedRun(this.queue, run, first, dueAt, this.tag, this.group)
  }
}

/** The runs of one queue in the order of their numbers. */
interface NumberIndex {
  readonly runs: DelayedRun[]
  /** How many of them wait no more. */
  gone: number
}

/** An index is rebuilt when this many of its runs no longer wait and they are the majority. */
const goneMin = 500

/** Runs that wait for their time, by that, and by number for the queues where single messages are looked for. */
export class DelayedRuns {
  readonly #heap = new Heap<DelayedRun>(
    (d) => d.dueAt,
    (d, place) => (d.place = place),
  )
  /** Made when a queue is first asked for a number. */
  readonly #byNumber = new Map<QueueState, NumberIndex>()

  /** All of them; the first is the next one. */
  get items(): readonly DelayedRun[] {
    return this.#heap.items
  }

  get size(): number {
    return this.#heap.size
  }

  peek(): DelayedRun | undefined {
    return this.#heap.peek()
  }

  push(d: DelayedRun): void {
    this.#heap.push(d)
    const index = this.#byNumber.get(d.queue)
    if (index === undefined) return
    const { runs } = index
    const at = behind(runs, d.first)
    if (at > 0 && runs[at - 1] === d) index.gone--
    else if (at === runs.length) runs.push(d)
    else runs.splice(at, 0, d)
  }

  /** Gives every run the time that `dueAt` says, and puts them in its order. */
  reorder(dueAt: (d: DelayedRun) => number): void {
    for (const d of this.#heap.items) d.dueAt = dueAt(d)
    this.#heap.filter(() => true)
  }

  /** It waits no more, until it is pushed again. */
  remove(d: DelayedRun): void {
    this.#heap.remove(d.place)
    const index = this.#byNumber.get(d.queue)
    if (index === undefined) return
    index.gone++
    if (index.gone > goneMin && 2 * index.gone > index.runs.length) this.#byNumber.delete(d.queue)
  }

  /** Takes out every run of a queue. */
  drop(queue: QueueState, each: (d: DelayedRun) => void): void {
    this.#byNumber.delete(queue)
    this.#heap.filter((d) => {
      if (d.queue !== queue) return true
      each(d)
      return false
    })
  }

  /** The run of a queue that begins with message `n` or last before it, if it still waits. */
  at(queue: QueueState, n: number): DelayedRun | undefined {
    let index = this.#byNumber.get(queue)
    if (index === undefined) {
      const runs = this.#heap.items.filter((d) => d.queue === queue).sort((a, b) => a.first - b.first)
      index = { runs, gone: 0 }
      this.#byNumber.set(queue, index)
    }
    const found = index.runs[behind(index.runs, n) - 1]
    // Of runs that begin with one number the last is the one in force; the numbers of one that is gone are, too.
    return found === undefined || found.place < 0 ? undefined : found
  }
}

/** How many of the runs begin with `n` or before. */
const behind = (runs: readonly DelayedRun[], n: number): number => {
  let low = 0
  let high = runs.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (runs[middle]!.first <= n) low = middle + 1
    else high = middle
  }
  return low
}
