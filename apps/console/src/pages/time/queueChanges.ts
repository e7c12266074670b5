import type { History, HistoryBucket, TallyField } from '@kiroku/audit'

/** What changed lately in one queue. */
export interface QueueChanges {
  readonly queue: string
  readonly totals: Readonly<Record<TallyField, number>>
  readonly buckets: readonly HistoryBucket[]
  /** Administrative acts. */
  readonly acts: number
}

const none = {
  ...{ sent: 0, delivered: 0, redelivered: 0, committed: 0, failed: 0, released: 0 },
  ...{ deadLettered: 0, discarded: 0, waiting: 0 },
} satisfies Record<TallyField, number>

/** All buckets of a history as one. */
export const totalOf = (buckets: readonly HistoryBucket[]): Readonly<Record<TallyField, number>> => {
  const total: Record<TallyField, number> = { ...none }
  for (const bucket of buckets)
    for (const field of Object.keys(none) as TallyField[]) total[field] += bucket[field] ?? 0
  return total
}

/**
 * What changed in each queue over a history that tells them apart: including queues with only administrative
 * acts.
 */
export const queueChanges = ({ queues = [], acts }: History): readonly QueueChanges[] => {
  const acted = new Map<string, number>()
  for (const { queue } of acts) if (queue !== '') acted.set(queue, (acted.get(queue) ?? 0) + 1)
  const told = queues.map(({ queue, buckets }) => ({
    ...{ queue, buckets },
    totals: totalOf(buckets),
    acts: acted.get(queue) ?? 0,
  }))
  const names = new Set(queues.map(({ queue }) => queue))
  const others = [...acted].filter(([queue]) => !names.has(queue))
  return [...told, ...others.map(([queue, n]) => ({ queue, buckets: [], totals: none, acts: n }))]
}
