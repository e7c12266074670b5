import { transitionsOf, type PartitionState } from '@kiroku/partition'
import {
  effectOf,
  type FromState,
  type LogEvent,
  type LogEventType,
  type MessageChange,
  type StateName,
} from '@kiroku/protocol'
import type { ReplayFrame, ReplayListener } from '../replay/Replay.ts'
import { tailWords, type TailWords } from '../trace/eventWords.ts'

/** Something that happened to a queue: to messages that changed their state together, or to the queue itself. */
export interface TailLine extends TailWords {
  readonly partition: number
  readonly seq: number
  /** Partition time in ms. */
  readonly at: number
  readonly event: LogEventType
  /** The queue's id in its partition. */
  readonly queue: number
  readonly from?: FromState
  readonly to?: StateName
  /** Number of the first message, 0 where they are not named individually, and their count. */
  readonly first: number
  readonly count: number
  /** Absent: `main`, or all of them. */
  readonly subscription?: string
}

/** Collects what happens to one queue from a record on during a replay; the reader of `lines` empties them. */
export class TailFold implements ReplayListener {
  lines: TailLine[] = []
  readonly #partition: number
  readonly #queue: string
  readonly #fromSeq: number

  constructor(partition: number, queue: string, fromSeq: number) {
    this.#partition = partition
    this.#queue = queue
    this.#fromSeq = fromSeq
  }

  event(e: LogEvent, _index: number, { seq, record }: ReplayFrame, state: PartitionState): void {
    if (!('queue' in e) || seq < this.#fromSeq) return
    const name = e.type === 'QueueCreated' ? e.name : state.queues.get(e.queue)?.name
    if (name !== this.#queue) return
    const base = {
      partition: this.#partition,
      seq,
      at: record.at,
      event: e.type,
      queue: e.queue,
      ...tailWords(e),
    }
    const before = this.lines.length
    transitionsOf(e, state, (from, to, first, count, sub) =>
      this.lines.push({
        ...base,
        from,
        to,
        first,
        count,
        ...(sub === undefined || sub.name === 'main' ? {} : { subscription: sub.name }),
      }),
    )
    if (this.lines.length > before) return
    const effect = effectOf(e)
    if (effect?.kind !== 'change' || effect.sub === undefined || effect.from !== effect.to)
      return void this.lines.push({ ...base, first: 0, count: 0 })
    // They stay in their state; something else about them changes.
    const { from, to, numbers } = effect as Required<MessageChange>
    for (let i = 0; i < numbers.length; i += 2)
      this.lines.push({ ...base, from, to, first: numbers[i]!, count: numbers[i + 1]! })
  }
}
