import { limits, type QueueTimes, TimeCounts, timesOf } from '@kiroku/protocol'
import type { Subscription } from '../state/QueueState.ts'
import { Consumers } from './Consumers.ts'
import { RecentDeliveries } from './RecentDeliveries.ts'

/** A stretch of time, and what was measured in it. */
interface Slot {
  /** Number of the stretch since 1970. */
  stretch: number
  readonly waiting: TimeCounts
  readonly processing: TimeCounts
}

/** Messages that a consumer was done with. */
export interface Settled {
  /** Those that became final as acknowledged. */
  acked: number
  /** Those that it held, and those whose lease had ended. */
  held: number
  late: number
}

/**
 * Measures how long messages wait and are worked on, by queue: a ring of a few histograms each, for about the last
 * minute. It belongs to an ownership, not to the record, and begins empty with it.
 */
export class Times {
  /** How deliveries went, by subscription. */
  readonly deliveries = new RecentDeliveries()
  /** Who receives. */
  readonly consumers = new Consumers()
  readonly #queues = new Map<number, (Slot | undefined)[]>()
  #swept = 0
  /** Numbers of deliveries, and the times from which on there were these; both grow. */
  #deliveries: number[] = []
  #times: number[] = []
  /** Where the last search ended. */
  #found = 0

  /** Notes a delivery. Arrays run parallel; times are ms of partition time. */
  delivered(
    sub: Subscription,
    delivery: number,
    now: number,
    attempts: readonly number[],
    enqueuedAt: readonly number[],
    leaseMs: number,
  ): void {
    this.#note(delivery, now)
    this.deliveries.leased(sub, leaseMs, now)
    const { waiting } = this.#slot(sub.queue.id, now)
    let at = 0
    let count = 0
    for (let i = 0; i < attempts.length; i++) {
      if (attempts[i] !== 1) continue
      if (enqueuedAt[i] !== at) {
        if (count > 0) waiting.note(now - at, count)
        at = enqueuedAt[i]!
        count = 0
      }
      count++
    }
    if (count > 0) waiting.note(now - at, count)
  }

  /** Comes by the end of work on messages of one delivery: how many were acknowledged by it, and how it found them. */
  settled(sub: Subscription, delivery: number, { acked, held, late }: Settled, now: number): void {
    const at = this.#timeOf(delivery)
    if (at === undefined) return
    if (acked > 0) this.#slot(sub.queue.id, now).processing.note(now - at, acked)
    if (held + late > 0) this.deliveries.settled(sub, held + late, late, now - at, now)
  }

  /** What is known of a queue at partition time `now` in ms; undefined where nothing was measured lately. */
  of(queue: number, now: number): QueueTimes | undefined {
    const slots = this.#queues.get(queue)
    if (slots === undefined) return undefined
    const oldest = stretchOf(now) - limits.timeStretches + 1
    const recent = slots.filter((slot) => slot !== undefined && slot.stretch >= oldest) as Slot[]
    return timesOf(
      TimeCounts.figures(recent.map(({ waiting }) => waiting)),
      TimeCounts.figures(recent.map(({ processing }) => processing)),
    )
  }

  /** Forgets a queue that is gone. */
  forget(queue: number): void {
    this.#queues.delete(queue)
  }

  #slot(queue: number, now: number): Slot {
    const stretch = stretchOf(now)
    if (stretch !== this.#swept) this.#sweep(stretch)
    let slots = this.#queues.get(queue)
    if (slots === undefined)
      this.#queues.set(queue, (slots = Array.from<undefined>({ length: limits.timeStretches })))
    const place = stretch % limits.timeStretches
    let slot = slots[place]
    if (slot === undefined) {
      slot = { stretch, waiting: new TimeCounts(), processing: new TimeCounts() }
      slots[place] = slot
    } else if (slot.stretch !== stretch) {
      slot.stretch = stretch
      slot.waiting.clear()
      slot.processing.clear()
    }
    return slot
  }

  /** Forgets queues in which nothing happened lately. */
  #sweep(stretch: number): void {
    this.#swept = stretch
    for (const [queue, slots] of this.#queues)
      if (slots.every((slot) => slot === undefined || slot.stretch <= stretch - limits.timeStretches))
        this.#queues.delete(queue)
  }

  #note(delivery: number, now: number): void {
    const times = this.#times
    if (times.length > 0 && times[times.length - 1]! >= now) return
    times.push(now)
    this.#deliveries.push(delivery)
    if (times.length <= limits.timedDeliveriesMax) return
    // What is old needs no fine times: of the older half every other one stays, each time.
    const half = times.length >>> 1
    const stays = (_: number, i: number): boolean => i >= half || i % 2 === 0
    this.#times = times.filter(stays)
    this.#deliveries = this.#deliveries.filter(stays)
    this.#found = 0
  }

  /** When a delivery was made; undefined where an earlier owner made it. */
  #timeOf(delivery: number): number | undefined {
    const deliveries = this.#deliveries
    const isAt = (i: number): boolean =>
      deliveries[i]! <= delivery && (i + 1 === deliveries.length || deliveries[i + 1]! > delivery)
    if (deliveries.length === 0 || deliveries[0]! > delivery) return undefined
    if (!isAt(this.#found)) {
      let low = 0
      let high = deliveries.length
      while (high - low > 1) {
        const middle = (low + high) >>> 1
        if (deliveries[middle]! <= delivery) low = middle
        else high = middle
      }
      this.#found = low
    }
    return this.#times[this.#found]
  }
}

const stretchOf = (now: number): number => Math.floor(now / limits.timeStretchMs)
