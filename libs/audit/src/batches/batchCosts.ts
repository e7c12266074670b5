import type { Log } from '@kiroku/log'
import { type PartitionState, type QueueState } from '@kiroku/partition'
import {
  type BatchFigures,
  batchFill,
  rangeTotal,
  deliveriesPer1000,
  isKirokuError,
  KirokuError,
  limits,
  type LogEvent,
  mergeBatches,
  partitionOf,
  type QueueConfig,
  type TimeFigures,
} from '@kiroku/protocol'
import { type PastOptions, type PastPartition } from '../past/PastLog.ts'
import { PastReader } from '../past/PastReader.ts'
import { costOf, type Arrival, type BatchSettings } from './costOf.ts'

/** How far back arrivals are read, in time and in records of the queue's home. */
const windowMs = 10 * 60_000
const windowRecords = 10_000
/** Waits to compare with no wait. */
const firstWaitsMs = [1_000, 5_000]

/** What a batch setting costs. */
export interface BatchCost {
  readonly deliveries: number
  readonly messages: number
  readonly messagesPerDelivery: number
  readonly deliveriesPer1000: number
  /** How long messages waited for others; absent: nothing was delivered, or the record does not say. */
  readonly waited?: Omit<TimeFigures, 'buckets'>
}

/** What a setting would have cost. */
export interface ReplayedCost extends BatchCost, Pick<QueueConfig, 'batchMessages' | 'batchWaitMs'> {
  /** Whether it is the one in force. */
  readonly isSet: boolean
}

/** What the batches of one subscription cost. */
export interface SubscriptionBatches {
  readonly subscription: string
  /** The batches on record. */
  readonly delivered: BatchCost
  /** What the setting in force and its neighbours would have cost, had a receive always been waiting. */
  readonly replayed: readonly ReplayedCost[]
}

/** What batches of a queue cost between two times, in ms since 1970. */
export interface BatchCosts {
  readonly queue: string
  readonly from: number
  readonly to: number
  readonly subscriptions: readonly SubscriptionBatches[]
}

/**
 * Compares what the batch settings of a queue's subscriptions cost with what neighbouring ones would have: replays the
 * arrivals of the last 10 minutes, or of the last 10,000 records of its home where these are fewer. Reads the log and
 * changes nothing. Errors: `UnknownQueue`, `UnknownSubscription`, `BeyondRecord`, and what reading the log
 * throws.
 */
export const batchCosts = async (
  log: Log,
  queue: string,
  { subscription, ...options }: PastOptions & { readonly subscription?: string },
): Promise<BatchCosts> => {
  const looker = new PastReader(log, options)
  try {
    const to = { time: options.now }
    const start = { time: await windowStart(log, looker, queue, options.now) }
    const { at: from, places } = await looker.since(queue, start, to).catch(async (e: unknown) => {
      // A short record would report only its late beginning; that the queue does not exist matters more.
      await looker.at(queue, to)
      throw e
    })
    const seen: PlaceArrivals[] = []
    const watch = async ({ partition, state }: PastPartition, id: number): Promise<PlaceArrivals> => {
      const arrivals = new PlaceArrivals(id, from, state)
      await looker.follow(partition, await looker.seqOf(partition, to), arrivals)
      seen.push(arrivals)
      return arrivals
    }
    const [home, ...parts] = places
    const { queue: latest } = await watch(home!, home!.queue.id)
    for (const part of parts) await watch(part, part.queue.id)
    // Parts that it got meanwhile.
    for (const { partition, queue: id } of latest?.spread?.parts ?? [])
      if (id !== 0 && !places.some((place) => place.partition === partition))
        await watch(await looker.partition(partition, from), id)
    const subs = latest?.subs ?? []
    const asked = subs.filter(({ name }) => subscription === undefined || name === subscription)
    if (asked.length === 0)
      throw subscription === undefined
        ? new KirokuError('UnknownQueue', `queue "${queue}" was deleted`)
        : new KirokuError('UnknownSubscription', `queue "${queue}" has no subscription "${subscription}"`)
    return {
      queue,
      from,
      to: options.now,
      subscriptions: asked.map(({ name, config }) => {
        const flows = seen.flatMap((place) => place.flows.get(name) ?? [])
        return {
          subscription: name,
          delivered: rounded(mergeBatches(flows.map(({ delivered }) => delivered))),
          replayed: neighbours(config).map((settings) => ({
            batchMessages: settings.batchMessages,
            batchWaitMs: settings.batchWaitMs,
            isSet:
              settings.batchMessages === config.batchMessages && settings.batchWaitMs === config.batchWaitMs,
            ...rounded(mergeBatches(flows.map(({ arrivals }) => costOf(arrivals, settings)))),
          })),
        }
      }),
    }
  } finally {
    await looker.close()
  }
}

/** The time from which on arrivals are read. */
const windowStart = async (log: Log, looker: PastReader, queue: string, now: number): Promise<number> => {
  const home = partitionOf(queue, log.meta.partitions)
  const last = await looker.seqOf(home, { time: now })
  if (last <= windowRecords) return now - windowMs
  try {
    return Math.max(now - windowMs, await looker.timeOf(home, last - windowRecords))
  } catch (e) {
    // Fewer records are left than would be read.
    if (isKirokuError(e) && e.id === 'BeyondRecord') return now - windowMs
    throw e
  }
}

/** The settings in force and plausible alternatives: smallest batches first, then shortest waits. */
const neighbours = ({ batchMessages, batchWaitMs, batchBytes }: QueueConfig): BatchSettings[] => {
  const sizes = [
    Math.ceil(batchMessages / 2),
    batchMessages,
    Math.min(2 * batchMessages, limits.messagesPerReceiveMax),
  ]
  const waits =
    batchWaitMs === 0
      ? [0, ...firstWaitsMs]
      : [0, Math.ceil(batchWaitMs / 2), batchWaitMs, Math.min(2 * batchWaitMs, limits.batchWaitMsMax)]
  const all = [
    ...[...new Set(sizes)].map((size) => ({ batchMessages: size, batchWaitMs })),
    ...[...new Set(waits)]
      .filter((waitMs) => waitMs !== batchWaitMs)
      .map((waitMs) => ({ batchMessages, batchWaitMs: waitMs })),
  ]
  return all.map((settings) => ({ ...settings, batchBytes }))
}

const rounded = (figures: BatchFigures): BatchCost => {
  const { deliveries, messages, waited } = figures
  return {
    deliveries,
    messages,
    messagesPerDelivery: +batchFill(figures).toFixed(1),
    deliveriesPer1000: +deliveriesPer1000(figures).toFixed(1),
    ...(waited === undefined
      ? {}
      : { waited: { count: waited.count, p50Ms: waited.p50Ms, p99Ms: waited.p99Ms } }),
  }
}

/** What arrived for a subscription in one place, and what was delivered. */
interface Flow {
  readonly arrivals: Arrival[]
  delivered: { deliveries: number; messages: number }
  deliverable: number
  bytes: number
}

/**
 * Watches a queue in one place: messages arrive for a subscription when more can be delivered than before.
 */
class PlaceArrivals {
  readonly flows = new Map<string, Flow>()
  /** Its current state; undefined: it was deleted. */
  queue: QueueState | undefined
  readonly #id: number
  #last: LogEvent | undefined
  #at: number

  constructor(id: number, from: number, { queues }: PartitionState) {
    this.#id = id
    this.#at = from
    this.queue = queues.get(id)
    this.#look()
  }

  readonly event = (
    event: LogEvent,
    _: number,
    { record }: { readonly record: { readonly at: number } },
    { queues }: PartitionState,
  ): void => {
    this.#applied(queues)
    if (!('queue' in event) || event.queue !== this.#id) return
    this.#last = event
    this.#at = record.at
  }

  readonly frame = (_: unknown, { queues }: PartitionState): void => this.#applied(queues)

  /** The state already contains the last event. */
  #applied(queues: PartitionState['queues']): void {
    const event = this.#last
    if (event === undefined) return
    this.#last = undefined
    this.queue = queues.get(this.#id)
    this.#look()
    if (event.type !== 'Delivered') return
    const sub = this.queue?.subs.find(({ id }) => id === event.sub)
    const flow = sub && this.flows.get(sub.name)
    if (flow === undefined) return
    const messages = rangeTotal(event.numbers)
    // What is larger than a batch was cut into batches by its consumer.
    flow.delivered.deliveries += Math.ceil(messages / sub!.config.batchMessages)
    flow.delivered.messages += messages
  }

  #look(): void {
    for (const { name, deliverable, availableBytes, readyBytes } of this.queue?.subs ?? []) {
      let flow = this.flows.get(name)
      if (flow === undefined) {
        flow = { arrivals: [], delivered: { deliveries: 0, messages: 0 }, deliverable: 0, bytes: 0 }
        this.flows.set(name, flow)
      }
      const bytes = availableBytes + readyBytes
      const count = deliverable - flow.deliverable
      if (count > 0) flow.arrivals.push({ at: this.#at, count, bytes: Math.max(0, bytes - flow.bytes) })
      flow.deliverable = deliverable
      flow.bytes = bytes
    }
  }
}
