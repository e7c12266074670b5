import type { OutboxEntry, Snapshot } from '@kiroku/partition'

/** A snapshot as it is stored: when letters were first delivered stands beside them. */
export const firstsApart = (s: Snapshot): Snapshot => {
  const firsts = s.outbox.flatMap(({ entries }) => entries.map(({ firstAt = 0 }) => firstAt))
  if (firsts.every((at) => at === 0)) return s
  const without = ({ firstAt: _, ...entry }: OutboxEntry): OutboxEntry => entry
  return {
    ...s,
    outbox: s.outbox.map((lane) => ({ ...lane, entries: lane.entries.map(without) })),
    letterFirsts: Float64Array.from(firsts),
  }
}

/** A snapshot as it was before it was stored. */
export const firstsTogether = ({ letterFirsts, ...s }: Snapshot): Snapshot => {
  if (letterFirsts === undefined) return s
  const firsts = letterFirsts.values()
  const withFirst = (entry: OutboxEntry): OutboxEntry => {
    const firstAt = firsts.next().value ?? 0
    return firstAt > 0 ? { ...entry, firstAt } : entry
  }
  return { ...s, outbox: s.outbox.map((lane) => ({ ...lane, entries: lane.entries.map(withFirst) })) }
}
