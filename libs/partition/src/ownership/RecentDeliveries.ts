import { limits, type RecentBatches, TimeCounts, type TimeFigures } from '@kiroku/protocol'
import type { Subscription } from '../state/QueueState.ts'
import { ErrorForms } from './ErrorForms.ts'

/** A stretch of time, and what became of deliveries in it. */
interface Slot {
  readonly stretch: number
  ended: number
  failed: number
  readonly errors: ErrorForms
  /** How long messages took until they were settled. */
  readonly took: TimeCounts
  late: number
  renewed: number
  leaseMsMax: number
  deliveries: number
  messages: number
  messagesMax: number
  /** How long messages waited for others to fill their batch. */
  readonly waited: TimeCounts
}

/** What was delivered to one receive. */
interface DeliveredBatch {
  /** When each of its messages was sent, in ms. */
  readonly enqueuedAt: readonly number[]
  /** The most messages of a batch, and the longest wait in ms, that the receive asked for. */
  readonly messagesMax: number
  readonly waitMsMax: number
  /** Since when a receive and a message were there, in ms. */
  readonly openedAt: number
}

/** What was settled in an hour, the longest that it took, and the shortest lease. */
interface Hour {
  readonly hour: number
  settled: number
  longestMs: number
  leaseMsMin: number
}

/** How deliveries of a subscription went lately. */
export interface Recent {
  /** Attempts that ended, and those of them that failed. */
  readonly ended: number
  readonly failed: number
  /** The most frequent error, as `ErrorForms` tells it; empty: none failed, or no reason was given. */
  readonly error: string
  /** From a delivery to its settlement by the consumer, late ones too; absent: nothing was settled. */
  readonly took?: TimeFigures | undefined
  /** Settlements that came when the lease had ended. */
  readonly late: number
  /** Leases of messages that were renewed. */
  readonly renewed: number
  /** Longest lease of a delivery, in ms; 0: nothing was delivered. */
  readonly leaseMsMax: number
  /** Absent: nothing was delivered. */
  readonly batches?: RecentBatches | undefined
  /** What was settled in this hour and the one before, the longest that it took, and the shortest lease; infinity: none. */
  readonly hours: Omit<Hour, 'hour'>
}

/**
 * Counts by subscription how full deliveries are, how they end and how long they take, for about the last minute, and the longest ones for
 * up to two hours. It belongs to an ownership, not to the record, and begins empty with it.
 */
export class RecentDeliveries {
  readonly #slots = new Map<Subscription, Slot[]>()
  readonly #hours = new Map<Subscription, Hour[]>()
  #swept = 0

  /** Notes that `count` attempts ended at partition time `now`, in ms; if there is an error, they failed. */
  ended(sub: Subscription, count: number, now: number, error?: string): void {
    const slot = this.#slot(sub, now)
    slot.ended += count
    if (error === undefined) return
    slot.failed += count
    slot.errors.note(error, count)
  }

  /** Notes the lease of a delivery. */
  leased(sub: Subscription, leaseMs: number, now: number): void {
    const slot = this.#slot(sub, now)
    if (leaseMs > slot.leaseMsMax) slot.leaseMsMax = leaseMs
    const hour = this.#hour(sub, now)
    if (leaseMs < hour.leaseMsMin) hour.leaseMsMin = leaseMs
  }

  /** Notes how full a batch was, and how long its messages waited for others. */
  batched(sub: Subscription, batch: DeliveredBatch, now: number): void {
    const { enqueuedAt, messagesMax, waitMsMax, openedAt } = batch
    const slot = this.#slot(sub, now)
    slot.deliveries += Math.ceil(enqueuedAt.length / messagesMax)
    slot.messages += enqueuedAt.length
    if (messagesMax > slot.messagesMax) slot.messagesMax = messagesMax
    if (waitMsMax === 0) {
      slot.waited.note(0, enqueuedAt.length)
      return
    }
    for (const at of enqueuedAt) slot.waited.note(Math.min(waitMsMax, now - Math.max(openedAt, at)), 1)
  }

  renewed(sub: Subscription, count: number, now: number): void {
    this.#slot(sub, now).renewed += count
  }

  /** Notes that the consumer settled `count` messages `ms` after their delivery, `late` of them with their lease ended. */
  settled(sub: Subscription, count: number, late: number, ms: number, now: number): void {
    const slot = this.#slot(sub, now)
    slot.took.note(ms, count)
    slot.late += late
    const hour = this.#hour(sub, now)
    hour.settled += count
    if (ms > hour.longestMs) hour.longestMs = ms
  }

  /** Forgets a subscription that is gone. */
  forget(sub: Subscription): void {
    this.#slots.delete(sub)
    this.#hours.delete(sub)
  }

  /** What is known of a subscription at partition time `now` in ms; undefined: nothing. */
  of(sub: Subscription, now: number): Recent | undefined {
    const oldest = stretchOf(now) - limits.timeStretches + 1
    const slots = (this.#slots.get(sub) ?? []).filter(({ stretch }) => stretch >= oldest)
    const hours = (this.#hours.get(sub) ?? []).filter(({ hour }) => hour >= hourOf(now) - 1)
    if (slots.length === 0 && hours.length === 0) return undefined
    const sum = (key: 'ended' | 'failed' | 'late' | 'renewed' | 'deliveries' | 'messages'): number =>
      slots.reduce((total, slot) => total + slot[key], 0)
    const waited = TimeCounts.figures(slots.map((slot) => slot.waited))
    return {
      ended: sum('ended'),
      failed: sum('failed'),
      error: ErrorForms.most(slots.map(({ errors }) => errors)),
      took: TimeCounts.figures(slots.map((slot) => slot.took)),
      late: sum('late'),
      renewed: sum('renewed'),
      leaseMsMax: Math.max(0, ...slots.map(({ leaseMsMax }) => leaseMsMax)),
      batches: waited && {
        deliveries: sum('deliveries'),
        messages: sum('messages'),
        messagesMax: Math.max(...slots.map(({ messagesMax }) => messagesMax)),
        waited,
      },
      hours: {
        settled: hours.reduce((total, { settled }) => total + settled, 0),
        longestMs: Math.max(0, ...hours.map(({ longestMs }) => longestMs)),
        leaseMsMin: Math.min(...hours.map(({ leaseMsMin }) => leaseMsMin)),
      },
    }
  }

  #slot(sub: Subscription, now: number): Slot {
    const stretch = stretchOf(now)
    if (stretch !== this.#swept) this.#sweep(stretch, hourOf(now))
    let slots = this.#slots.get(sub)
    if (slots === undefined) this.#slots.set(sub, (slots = []))
    const last = slots.at(-1)
    if (last?.stretch === stretch) return last
    const slot: Slot = {
      stretch,
      ended: 0,
      failed: 0,
      errors: new ErrorForms(),
      took: new TimeCounts(),
      late: 0,
      renewed: 0,
      leaseMsMax: 0,
      deliveries: 0,
      messages: 0,
      messagesMax: 0,
      waited: new TimeCounts(),
    }
    slots.push(slot)
    return slot
  }

  #hour(sub: Subscription, now: number): Hour {
    const hour = hourOf(now)
    let hours = this.#hours.get(sub)
    if (hours === undefined) this.#hours.set(sub, (hours = []))
    const last = hours.at(-1)
    if (last?.hour === hour) return last
    const next = { hour, settled: 0, longestMs: 0, leaseMsMin: Number.POSITIVE_INFINITY }
    this.#hours.set(sub, [...(last === undefined ? [] : [last]), next])
    return next
  }

  /** Forgets what is no longer lately. */
  #sweep(stretch: number, hour: number): void {
    this.#swept = stretch
    for (const [sub, slots] of this.#slots) {
      const recent = slots.filter((slot) => slot.stretch > stretch - limits.timeStretches)
      if (recent.length === 0) this.#slots.delete(sub)
      else this.#slots.set(sub, recent)
    }
    for (const [sub, hours] of this.#hours) if (hours.at(-1)!.hour < hour - 1) this.#hours.delete(sub)
  }
}

const stretchOf = (now: number): number => Math.floor(now / limits.timeStretchMs)
const hourOf = (now: number): number => Math.floor(now / 3_600_000)
