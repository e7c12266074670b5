import type { QueueCounts } from './QueueDescription.ts'

/** Adds to the counts of a queue: those of another part of it, or what changed. */
export const sumCounts = (counts: QueueCounts, more: Partial<QueueCounts>): QueueCounts => {
  const sum: Record<keyof QueueCounts, number> = { ...counts }
  for (const name of Object.keys(sum) as (keyof QueueCounts)[]) sum[name] += more[name] ?? 0
  return sum
}
