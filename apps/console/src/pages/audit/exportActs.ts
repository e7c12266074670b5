import type { Act } from '@kiroku/audit'
import { actWords } from '@kiroku/audit/event-words'
import { changeLine } from './actText.ts'

/** Acts as lines of JSON, as recorded. */
export const actsAsNdjson = (acts: readonly Act[]): string =>
  acts.map((act) => `${JSON.stringify(act)}\n`).join('')

const heads = ['when', 'who', 'from', 'what', 'queue', 'subscription', 'why', 'change', 'partition', 'seq']

/** Acts as a table for a spreadsheet (RFC 4180), with times in UTC. */
export const actsAsCsv = (acts: readonly Act[]): string =>
  [
    heads,
    ...acts.map((act) => [
      new Date(act.at).toISOString(),
      act.by.name,
      act.by.origin,
      actWords(act.event),
      act.queue,
      act.subscription ?? '',
      act.by.reason ?? '',
      changeLine(act),
      String(act.partition),
      String(act.seq),
    ]),
  ]
    .map((cells) => `${cells.map(cell).join(',')}\r\n`)
    .join('')

/** A cell that begins like a formula would be run by a spreadsheet: an apostrophe makes it text. */
const cell = (text: string): string => {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** The command line that lists the same acts. */
export const actsCommand = (asked: {
  readonly queue?: string | undefined
  readonly actor?: string | undefined
  readonly since?: string | undefined
}): string =>
  [
    'kiroku acts',
    ...(['queue', 'actor', 'since'] as const).flatMap((flag) =>
      asked[flag] === undefined || asked[flag] === '' ? [] : [`--${flag} ${quoted(asked[flag])}`],
    ),
  ].join(' ')

const quoted = (text: string): string =>
  /^[\w.:/@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
