import type { TailLine } from '@kiroku/audit'
import { messageId, type QueueCounts } from '@kiroku/protocol'

/** Most lines per update; more are summed up. */
const tailLinesMax = 200

/** One message of a line, or the queue itself, in JSON. */
export const tailJson = (line: TailLine, incarnation: string): Record<string, unknown>[] => {
  const { first, count, queue, ...rest } = line
  if (first === 0) return [count === 0 ? rest : { ...rest, count }]
  return Array.from({ length: count }, (_, i) => ({
    ...rest,
    messageId: messageId({ incarnation, partition: line.partition, queue, number: first + i }),
  }))
}

/** What happened, as text: a line per message, or counts per transition if there are too many. */
export const tailText = (lines: readonly TailLine[], incarnation: string): string[] => {
  const messages = lines.reduce((sum, { first, count }) => sum + (first === 0 ? 1 : count), 0)
  if (messages > tailLinesMax) return [countText(lines)]
  return lines.flatMap((line) => {
    const { partition, seq, at, event, from, to, subscription, consumer, cause, first, count, queue } = line
    const start = `${timeText(at)}  ${partition}/${seq}`
    const end = [
      subscription === undefined ? '' : `[${subscription}]`,
      consumer === undefined ? '' : `to ${consumer}`,
      cause ?? '',
    ]
      .filter((part) => part !== '')
      .join('  ')
    const change = to === undefined ? event : `${from} → ${to}`
    if (first === 0)
      return [`${start}  ${count === 0 ? change : `${change}  ${count} messages`}  ${end}`.trimEnd()]
    return Array.from({ length: count }, (_, i) => {
      const id = messageId({ incarnation, partition, queue, number: first + i })
      return `${start}  ${id}  ${change}  ${end}`.trimEnd()
    })
  })
}

const countText = (lines: readonly TailLine[]): string => {
  const counts = new Map<string, number>()
  for (const { from, to, event, count } of lines) {
    const change = to === undefined ? event : `${from} → ${to}`
    counts.set(change, (counts.get(change) ?? 0) + Math.max(1, count))
  }
  const { at, partition, seq } = lines.at(-1)!
  const text = [...counts].map(([change, count]) => `${change} +${count.toLocaleString('en')}`).join(', ')
  return `${timeText(at)}  ${partition}/${seq}  ${text}`
}

/** A queue's counts in one line. */
export const countsText = (counts: QueueCounts): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join('  ')

const timeText = (ms: number): string => new Date(ms).toISOString().slice(11, 23)
