import type { QueueCounts } from '@kiroku/partition'

/** Adds the counts of two parts of a queue. */
export const sumCounts = (a: QueueCounts, b: QueueCounts): QueueCounts => {
  const both: Partial<Record<keyof QueueCounts, number>> = {}
  for (const name of Object.keys(a) as (keyof QueueCounts)[]) both[name] = a[name] + b[name]
  return both as QueueCounts
}
