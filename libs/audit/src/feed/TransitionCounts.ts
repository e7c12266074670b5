import type { LogEvent } from '@kiroku/message'
import { countsOf, type PartitionState, type QueueCounts } from '@kiroku/partition'
import type { PassListener } from '../LogPass.ts'
import type { PartitionNews, TransitionCount } from './FeedMessage.ts'
import { transitionsOf, type OnTransition } from './transitionsOf.ts'

/** A queue's counts before anything happened to it. */
export const noCounts: QueueCounts = {
  delayed: 0,
  available: 0,
  inflight: 0,
  waitingRetry: 0,
  sent: 0,
  committed: 0,
  deadLettered: 0,
  discarded: 0,
  redelivered: 0,
}

interface Touched {
  name: string
  readonly before: QueueCounts
  readonly counts: Map<string, { -readonly [K in keyof TransitionCount]: TransitionCount[K] }>
}

/** Counts, by queue, the changes of state in the frames of a partition that a pass comes by, until they are taken. */
export class TransitionCounts implements PassListener {
  readonly #partition: number
  #touched = new Map<number, Touched>()
  #seq = 0
  #at = 0
  /** What was told no longer holds, or something was never seen. */
  #isAnew = true

  constructor(partition: number) {
    this.#partition = partition
  }

  event(event: LogEvent, _index: number, _frame: unknown, state: PartitionState): void {
    if (!('queue' in event)) return
    const touched = this.#touch(event.queue, state)
    if (event.type === 'QueueCreated') touched.name = event.name
    const tell: OnTransition = (from, to, _first, count) => {
      const key = `${from}→${to}`
      const before = touched.counts.get(key)
      if (before === undefined) touched.counts.set(key, { from, to, count })
      else before.count += count
    }
    transitionsOf(event, state, tell)
  }

  frame({ seq, record }: { readonly seq: number; readonly record: { readonly at: number } }): void {
    this.#seq = seq
    this.#at = record.at
  }

  lost(_seq: number, upTo: number): void {
    this.#seq = upTo
    this.#isAnew = true
  }

  restarted(seq: number): void {
    this.#seq = seq
    this.#isAnew = true
  }

  /** What happened since the last time, for the hub; `state` is that behind the last frame. Nothing: undefined. */
  take(state: PartitionState, seq: number, lastSeq: number): PartitionNews | undefined {
    const place = { partition: this.#partition, seq, at: Math.max(this.#at, state.at), lastSeq }
    const touched = this.#touched
    this.#touched = new Map()
    if (this.#isAnew) {
      this.#isAnew = false
      const queues = [...state.queues.values()].map((q) => ({ id: q.id, queue: q.name, counts: countsOf(q) }))
      return { kind: 'standing', ...place, queues }
    }
    if (touched.size === 0 && this.#seq === 0) return undefined
    this.#seq = 0
    const queues = [...touched].map(([id, { name, before, counts }]) => {
      const queue = state.queues.get(id)
      return {
        id,
        queue: name,
        transitions: [...counts.values()],
        change: difference(before, queue === undefined ? noCounts : countsOf(queue)),
        ...(queue === undefined ? { ended: true as const } : {}),
      }
    })
    return { kind: 'changes', ...place, queues }
  }

  #touch(id: number, state: PartitionState): Touched {
    let touched = this.#touched.get(id)
    if (touched === undefined) {
      const queue = state.queues.get(id)
      const before = queue === undefined ? noCounts : countsOf(queue)
      touched = { name: queue?.name ?? `#${id}`, before, counts: new Map() }
      this.#touched.set(id, touched)
    }
    return touched
  }
}

const names = Object.keys(noCounts) as (keyof QueueCounts)[]

const difference = (before: QueueCounts, after: QueueCounts): Partial<QueueCounts> => {
  const change: Partial<Record<keyof QueueCounts, number>> = {}
  for (const name of names) if (after[name] !== before[name]) change[name] = after[name] - before[name]
  return change
}
