import type { DiffMessage, DiffMessages, MomentDiff } from '@kiroku/audit'
import { columns } from '../../cli/columns.ts'

/** The difference between two moments, as text. */
export const describeDiff = (diff: MomentDiff): string => {
  const side = (of: MomentDiff['a']): string =>
    of === undefined
      ? 'not there'
      : `${new Date(of.at).toISOString()} (${of.places.map((p) => `${p.partition}/${p.seq}`).join(' ')})`
  const lines = [`${diff.queue} from ${side(diff.a)} to ${side(diff.b)}`, '']
  const counts = Object.entries(diff.counts).filter(([, { a, b }]) => a !== b)
  if (counts.length > 0)
    lines.push(
      columns([
        ['COUNT', 'THEN', 'LATER', 'CHANGE'],
        ...counts.map(([name, { a, b }]) => [name, String(a), String(b), signed(b - a)]),
      ]),
      '',
    )
  if (diff.config.length > 0)
    lines.push(
      columns([
        ['SETTING', 'THEN', 'LATER'],
        ...diff.config.map(({ setting, a, b }) => [setting, textOf(a), textOf(b)]),
      ]),
      '',
    )
  lines.push(...listOf('appeared', diff.appeared), ...listOf('changed', diff.changed))
  lines.push(...listOf('left (final by then)', diff.left))
  return lines.join('\n')
}

const listOf = (title: string, { total, messages }: DiffMessages): string[] => {
  const lines = [`${total} ${total === 1 ? 'message' : 'messages'} ${title}`]
  if (messages.length > 0) lines.push(columns(messages.map(rowOf)))
  if (messages.length < total) lines.push(`  … and ${total - messages.length} more`)
  return lines
}

const rowOf = ({ messageId, subscription, before, after }: DiffMessage): string[] => [
  `  ${messageId}`,
  subscription,
  [before, after]
    .map((standing) => (standing === undefined ? '' : `${standing.state}/${standing.attempt}`))
    .filter((text) => text !== '')
    .join(' → '),
]

const signed = (n: number): string => (n > 0 ? `+${n}` : String(n))

const textOf = (value: unknown): string => (value === undefined ? '-' : JSON.stringify(value))
