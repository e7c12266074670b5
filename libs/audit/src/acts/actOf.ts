import { type PartitionState, type QueueState } from '@kiroku/partition'
import { defaultQueueConfig, type LogEvent, rangeTotal } from '@kiroku/protocol'
import type { Act } from './Act.ts'

type Values = Record<string, unknown>

/**
 * The act that an event records; undefined if it records none. `state` is the one just before the
 * event, its frame begun.
 */
export const actOf = (
  event: LogEvent,
  seq: number,
  index: number,
  state: PartitionState,
): Act | undefined => {
  if (!('by' in event) || event.by === undefined) return undefined
  const queue = 'queue' in event ? state.queues.get(event.queue) : undefined
  const [before, after, subscription] = changeOf(event, state, queue)
  const name = event.type === 'QueueCreated' ? event.name : (queue?.name ?? '')
  return {
    partition: state.partition,
    seq,
    index,
    at: state.at,
    event: event.type,
    queue: name,
    ...(subscription === undefined ? {} : { subscription }),
    by: event.by,
    before,
    after,
  }
}

const changeOf = (
  e: Extract<LogEvent, { by?: unknown }>,
  state: PartitionState,
  queue: QueueState | undefined,
): [before: Values, after: Values, subscription?: string] => {
  const subName = (id: number): string => state.subscriptionOf(queue?.id ?? 0, id)?.name ?? `#${id}`
  switch (e.type) {
    case 'QueueCreated':
      return [{}, ownSettings(e.config)]
    case 'QueueConfigured':
      return difference((queue?.recorded ?? {}) as Values, e.config)
    case 'QueueNoted':
      return difference(
        Object.fromEntries(e.notes.map(([name]) => [`note ${name}`, queue?.notes.get(name)])),
        Object.fromEntries(e.notes.map(([name, text]) => [`note ${name}`, text ?? undefined])),
      )
    case 'QueueDeleted':
      return [
        {
          ...ownSettings((queue?.recorded ?? {}) as Values),
          messages: queue === undefined ? 0 : liveOf(queue),
        },
        {},
      ]
    case 'QueuePurged':
      return [{ messages: queue === undefined ? 0 : liveOf(queue) }, { messages: 0, below: e.upTo }]
    case 'DeliveryPaused':
    case 'DeliveryResumed': {
      const paused = e.type === 'DeliveryPaused'
      const was =
        e.sub === undefined ? queue?.deliveryPaused : state.subscriptionOf(e.queue, e.sub)?.deliveryPaused
      return [{ paused: was }, { paused }, ...named(e.sub === undefined ? undefined : subName(e.sub))]
    }
    case 'SubscriptionCreated':
      return [{}, { ...e.settings, from: e.from }, e.name]
    case 'SubscriptionConfigured': {
      const settings = state.subscriptionOf(e.queue, e.sub)?.settings ?? {}
      return [...difference(settings as Values, e.settings), subName(e.sub)]
    }
    case 'SubscriptionReset':
      return [
        { generation: queue?.named(e.name)?.id, messages: queue?.named(e.name)?.live },
        { generation: e.sub, from: e.from },
        e.name,
      ]
    case 'SubscriptionDeleted':
      return [{ messages: state.subscriptionOf(e.queue, e.sub)?.live }, {}, subName(e.sub)]
    case 'QueueSpread':
      return [
        { parts: queue?.spread?.parts.map(({ partition }) => partition) ?? [] },
        { parts: e.parts.map(({ partition }) => partition) },
      ]
    case 'Discarded':
      return [{}, { messages: rangeTotal(e.numbers), reason: e.reason }, subName(e.sub)]
    case 'Recalled':
      return [
        { number: e.number, state: 'Delayed' },
        { number: e.number, state: 'Discarded' },
      ]
    case 'Rescheduled': {
      const dueAt = queue === undefined ? undefined : state.findDelayed(queue, e.number)?.dueAt
      return [
        { number: e.number, dueAt },
        { number: e.number, dueAt: e.dueAt },
      ]
    }
    case 'RedriveStarted': {
      const { task, to, filter, rateMax, messagesMax, upTo, selection } = e
      const selected = selection === undefined ? {} : { selected: rangeTotal(selection) }
      return [{}, { task, to, filter, rateMax, messagesMax, upTo, ...selected }, subName(e.sub)]
    }
    case 'RedriveEnded': {
      const { task, outcome, left } = e
      return [{ task, state: 'running' }, { task, state: outcome, left }, subName(e.sub)]
    }
    case 'ClockResumed':
      return [{ time: state.at }, { time: Math.max(e.now, state.at), clock: e.clock }]
    case 'ClusterVersionRaised':
      return [{ clusterVersion: state.clusterVersion }, { clusterVersion: e.version }]
    case 'Repaired':
      return [{ records: e.upTo < e.from ? [] : [e.from, e.upTo] }, { note: e.note, hash: e.hash }]
    default: {
      // An act of a newer version: everything it carries.
      const { type: _, queue: __, by: ___, ...rest } = e as LogEvent & { queue?: number; by?: unknown }
      return [{}, rest]
    }
  }
}

const named = (name: string | undefined): [string] | [] => (name === undefined ? [] : [name])

/** The settings that differ from the defaults. */
const ownSettings = (config: Values): Values =>
  difference(defaultQueueConfig as unknown as Values, { ...defaultQueueConfig, ...config })[1]

/** Where two settings differ. */
const difference = (before: Values, after: Values): [Values, Values] => {
  const was: Values = {}
  const is: Values = {}
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (JSON.stringify(before[key]) === JSON.stringify(after[key])) continue
    if (before[key] !== undefined) was[key] = before[key]
    if (after[key] !== undefined) is[key] = after[key]
  }
  return [was, is]
}

/** Messages that are not final under at least one subscription, by the subscription that has most. */
const liveOf = ({ subs, delayed }: QueueState): number =>
  delayed + subs.reduce((most, sub) => Math.max(most, sub.live), 0)
