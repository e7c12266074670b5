import {
  type FromState,
  type LogEvent,
  noCounts,
  type QueueCounts,
  type QueueUpdate,
  type StateName,
  type TransitionCount,
} from '@kiroku/protocol'
import type { PartitionState } from '../state/PartitionState.ts'
import { countsOf } from './countsOf.ts'
import { transitionsOf } from './transitionsOf.ts'

interface Touched {
  name: string
  readonly before: QueueCounts
  readonly counts: { -readonly [K in keyof TransitionCount]: TransitionCount[K] }[]
}

/** Counts, by queue, the changes of state that the events of a partition make, until they are taken. */
export class TransitionCounts {
  #touched = new Map<number, Touched>()
  /** What was told no longer holds, or nothing was told yet. */
  #isAnew = true
  #now: Touched | undefined

  /** Comes by an event before it is applied to `state`. */
  event(event: LogEvent, state: PartitionState): void {
    if (this.#isAnew || !('queue' in event)) return
    const touched = (this.#now = this.#touch(event.queue, state))
    if (event.type === 'QueueCreated') touched.name = event.name
    transitionsOf(event, state, this.#tell)
  }

  /** What was told no longer holds: how the queues stand is told next. */
  restart(): void {
    this.#isAnew = true
  }

  /** What happened since the last time; `state` is that behind the last event. */
  take(state: PartitionState): QueueUpdate {
    const touched = this.#touched
    if (touched.size > 0) this.#touched = new Map()
    if (this.#isAnew) {
      this.#isAnew = false
      const queues = [...state.queues.values()].map((q) => ({ id: q.id, queue: q.name, counts: countsOf(q) }))
      return { kind: 'standing', queues }
    }
    const queues = [...touched].map(([id, { name, before, counts }]) => {
      const queue = state.queues.get(id)
      return {
        id,
        queue: name,
        transitions: counts,
        change: difference(before, queue === undefined ? noCounts : countsOf(queue)),
        ...(queue === undefined ? { ended: true as const } : {}),
      }
    })
    return { kind: 'changes', queues }
  }

  readonly #tell = (from: FromState, to: StateName, _first: number, count: number): void => {
    const { counts } = this.#now!
    for (const known of counts)
      if (known.from === from && known.to === to) {
        known.count += count
        return
      }
    counts.push({ from, to, count })
  }

  #touch(id: number, state: PartitionState): Touched {
    let touched = this.#touched.get(id)
    if (touched === undefined) {
      const queue = state.queues.get(id)
      const before = queue === undefined ? noCounts : countsOf(queue)
      touched = { name: queue?.name ?? `#${id}`, before, counts: [] }
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
