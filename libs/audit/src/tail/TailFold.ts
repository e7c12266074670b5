import { transitionsOf, type PartitionState } from '@kiroku/partition'
import type { Actor, FromState, LogEvent, LogEventType, StateName } from '@kiroku/protocol'
import type { ReplayFrame, ReplayListener } from '../replay/Replay.ts'

/** Something that happened to a queue: to messages that changed their state together, or to the queue itself. */
export interface TailLine {
  readonly partition: number
  readonly seq: number
  /** Partition time in ms. */
  readonly at: number
  readonly event: LogEventType
  /** The queue's id in its partition. */
  readonly queue: number
  readonly from?: FromState
  readonly to?: StateName
  /** Number of the first message, 0 where they are not named one by one, and how many they are. */
  readonly first: number
  readonly count: number
  /** Absent: `main`, or all of them. */
  readonly subscription?: string
  readonly consumer?: string
  /** Why: a cause, a reason, an error, who did it. */
  readonly cause?: string
  /** When a delay, a pause or a lease ends, in ms of partition time. */
  readonly until?: number
}

/** Collects what happens to one queue from a record on, as a pass comes by; whoever takes `lines` empties them. */
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
      ...detailOf(e),
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
    const numbers = e.type === 'LeaseExtended' ? e.numbers : undefined
    if (numbers === undefined) this.lines.push({ ...base, first: 0, count: 0 })
    else
      for (let i = 0; i < numbers.length; i += 2)
        this.lines.push({
          ...base,
          from: 'Inflight',
          to: 'Inflight',
          first: numbers[i]!,
          count: numbers[i + 1]!,
        })
  }
}

const detailOf = (e: LogEvent): Pick<TailLine, 'consumer' | 'cause' | 'until'> => {
  switch (e.type) {
    case 'Delivered':
      return { consumer: e.consumer, until: e.leaseUntil }
    case 'LeaseExtended':
      return { until: e.leaseUntil }
    case 'Enqueued':
      return { cause: `from ${e.producer}`, ...(e.dueAt === 0 ? {} : { until: e.dueAt }) }
    case 'ForwardReceived':
      return { cause: `forwarded from queue ${e.from.partition}/${e.from.queue}` }
    case 'RetryScheduled':
      return { ...said('retry', e.error), ...(e.dueAt === 0 ? {} : { until: e.dueAt }) }
    case 'Deferred':
      return { ...said('given back', e.error), ...(e.dueAt === 0 ? {} : { until: e.dueAt }) }
    case 'DeliveryHeld':
      return { ...said('deliveries held', e.error), until: e.until }
    case 'LeaseExpired':
      return { cause: 'the lease expired', ...(e.dueAt === 0 ? {} : { until: e.dueAt }) }
    case 'DeadLettered':
      return said(e.cause, e.error)
    case 'Discarded':
      return said(e.reason === e.cause ? e.reason : `${e.reason}, ${e.cause}`, e.error)
    case 'Released':
      return { cause: e.cause }
    case 'Redriven':
      return { cause: `redriven to ${e.name}` }
    case 'Deduplicated':
      return { cause: `from ${e.producer}, sent before` }
    default:
      return 'by' in e && e.by !== undefined ? { cause: byText(e.by) } : {}
  }
}

const said = (cause: string, error: string): Pick<TailLine, 'cause'> => ({
  cause: error === '' ? cause : `${cause}: ${error}`,
})

const byText = ({ name, origin, reason }: Actor): string =>
  `by ${name} (${origin})${reason === undefined ? '' : `: ${reason}`}`
