import type { LogEvent } from '@kiroku/protocol'
import type { QueueLedger } from './QueueLedger.ts'
import type { Stored } from './Stored.ts'

/** Steps and waits from which on it is days that are counted, in ms. */
const longMs = 3_600_000

/** Turns of the world that facts alone do not tell of; each must occur. */
export const moments = [
  'clocks disagree',
  'clocks disagree, and an owner follows',
  'clocks agree again',
  'a word on the clocks',
  'a step of days by a word',
  'a step of days by agreement',
  'days without an owner',
  'a delay of days',
  'a pause of days',
  'a lease of hours',
  'idle queue ended',
] as const

/** Name of such a turn. */
export type Moment = (typeof moments)[number]

/** The turns that a frame brings; `before` is partition time ahead of it. */
export const momentsOf = ({ record }: Stored, before: number, isDisputed: boolean): Moment[] =>
  record.events.flatMap((e) => momentsIn(e, record.at, before, isDisputed))

const momentsIn = (e: LogEvent, at: number, before: number, isDisputed: boolean): Moment[] => {
  switch (e.type) {
    case 'ClockResumed': {
      if (e.dispute !== undefined)
        return [isDisputed ? 'clocks disagree, and an owner follows' : 'clocks disagree']
      const isLong = e.now - before > longMs
      if (e.clock !== undefined)
        return ['a word on the clocks', ...(isLong ? (['a step of days by a word'] as const) : [])]
      if (isDisputed)
        return ['clocks agree again', ...(isLong ? (['a step of days by agreement'] as const) : [])]
      return isLong && before > 0 ? ['days without an owner'] : []
    }
    case 'Enqueued':
      return e.dueAt - at > longMs ? ['a delay of days'] : []
    case 'RetryScheduled':
      return e.dueAt - at > longMs ? ['a pause of days'] : []
    case 'Delivered':
      return e.leaseUntil - at > longMs ? ['a lease of hours'] : []
    case 'QueueDeleted':
      return e.by.origin === 'idle' ? ['idle queue ended'] : []
    default:
      return []
  }
}

/** Settings that a queue has another way than before. */
export const settingsChanged = (queue: QueueLedger, config: object): string[] => {
  const before = queue.configOf(0) as unknown as Readonly<Record<string, unknown>>
  return Object.entries(config).flatMap(([name, value]) =>
    JSON.stringify(before[name]) === JSON.stringify(value) ? [] : [name],
  )
}
