import type { Log } from '@kiroku/log'
import { countsOf } from '@kiroku/partition'
import { type LogEvent, type LogEventType, type QueueCounts, sumCounts, rangeTotal } from '@kiroku/protocol'
import { type PastOptions, type PastPart } from './PastLog.ts'
import { PastReader } from './PastReader.ts'
import type { AskedMoment } from './QueueMoment.ts'

/** Something that happened to a queue in one frame. */
export interface PlayEvent {
  readonly type: LogEventType
  /** Messages that it concerns; 0 for what concerns the queue itself. */
  readonly messages: number
  readonly subscription?: string
}

/** One frame of a replay. */
export interface PlayStep {
  readonly partition: number
  readonly seq: number
  /** Partition time in ms. */
  readonly at: number
  readonly events: readonly PlayEvent[]
  /** Of the whole queue, after the frame. */
  readonly counts: QueueCounts
}

/**
 * Plays a queue from one moment to another: first its state at `from`, without events, then each frame that
 * concerns it. Where it was created after the time `from`, or the record begins later, it begins there. What
 * comes next waits for `onStep`. A queue on several partitions is played in the order of time. Errors: those
 * of `stateAt`.
 */
export const play = async (
  log: Log,
  name: string,
  from: AskedMoment,
  to: AskedMoment,
  options: PastOptions,
  onStep: (step: PlayStep) => void | Promise<void>,
): Promise<void> => {
  const looker = new PastReader(log, options)
  try {
    const { at, places } = await looker.since(name, from, to)
    const home = places[0]!
    const counts = new Map(places.map((place) => [place.partition, countsOf(place.queue)]))
    const whole = (): QueueCounts => [...counts.values()].reduce(sumCounts)
    await onStep({ partition: home.partition, seq: home.seq, at, events: [], counts: whole() })
    const order = new Order(places.length)
    const end = 'time' in to ? to : { time: await looker.timeOf(to.partition ?? home.partition, to.seq) }
    await Promise.all(
      places.map(async ({ partition, queue: { id } }) => {
        const isHome = partition === (('seq' in to ? to.partition : undefined) ?? home.partition)
        const toSeq = await looker.seqOf(partition, isHome ? to : end)
        let events: PlayEvent[] = []
        const listener = {
          event: (e: LogEvent, _: number, __: unknown, state: PastPart['state']) => {
            const queue = state.queues.get(id)
            if (isOf(e, id)) events.push(toPlayEvent(e, queue))
          },
          frame: async (frame: { seq: number; record: { at: number } }, state: PastPart['state']) => {
            if (events.length === 0) return
            const { seq, record } = frame
            await order.turn(partition, record.at)
            const queue = state.queues.get(id)
            if (queue === undefined) counts.delete(partition)
            else counts.set(partition, countsOf(queue))
            if (counts.size > 0) await onStep({ partition, seq, at: record.at, events, counts: whole() })
            events = []
          },
        }
        try {
          await looker.follow(partition, toSeq, listener)
          order.leave(partition)
        } catch (error) {
          order.end(error)
          throw error
        }
      }),
    )
  } finally {
    await looker.close()
  }
}

const isOf = (e: LogEvent, id: number): boolean => 'queue' in e && e.queue === id

const toPlayEvent = (e: LogEvent, queue: PastPart['queue'] | undefined): PlayEvent => {
  const sub = 'sub' in e ? queue?.subs.find((s) => s.id === e.sub) : undefined
  return {
    type: e.type,
    messages: messagesIn(e),
    ...(sub === undefined ? {} : { subscription: sub.name }),
  }
}

const messagesIn = (e: LogEvent): number => {
  if ('numbers' in e) return rangeTotal(e.numbers ?? [])
  if (e.type === 'Enqueued' || e.type === 'ForwardReceived') return e.count
  return e.type === 'Recalled' || e.type === 'Rescheduled' ? 1 : 0
}

/** A participant with something of a certain time. */
interface Waiting {
  readonly at: number
  readonly go: () => void
  readonly stop: (error: unknown) => void
}

/** Lets several sources with times of their own proceed in the order of time. */
class Order {
  #left: number
  readonly #waiting = new Map<number, Waiting>()
  #ended: { readonly error: unknown } | undefined

  constructor(count: number) {
    this.#left = count
  }

  /** Resolves when no other source has something earlier. */
  turn(who: number, at: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(who, { at, go: resolve, stop: reject })
      this.#next()
    })
  }

  /** Stops all sources. */
  end(error: unknown): void {
    this.#ended = { error }
    this.#next()
  }

  leave(who: number): void {
    this.#waiting.delete(who)
    this.#left--
    this.#next()
  }

  #next(): void {
    if (this.#ended !== undefined) {
      for (const { stop } of this.#waiting.values()) stop(this.#ended.error)
      this.#waiting.clear()
      return
    }
    if (this.#waiting.size === 0 || this.#waiting.size < this.#left) return
    const [who, { go }] = [...this.#waiting].reduce((a, b) => (b[1].at < a[1].at ? b : a))
    this.#waiting.delete(who)
    go()
  }
}
