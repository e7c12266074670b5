import type { Act } from '@kiroku/audit'
import type { Column } from '../../parts/DataTable.tsx'
import { time } from '../../parts/format.ts'
import { Time } from '../../parts/When.tsx'
import { actWords } from '@kiroku/audit/event-words'
import { changeLine } from './actText.ts'

const when: Column<Act> = {
  key: 'when',
  head: 'When',
  width: '9.5rem',
  cell: ({ at }) => <Time at={at} />,
}
const who: Column<Act> = { key: 'who', head: 'Who', width: '7rem', cell: ({ by }) => by.name }
const from: Column<Act> = {
  key: 'from',
  head: 'From',
  width: '8rem',
  cell: ({ by }) => <span className="quiet">{by.origin}</span>,
}
const what: Column<Act> = { key: 'what', head: 'What', width: '11rem', cell: ({ event }) => actWords(event) }
const queue: Column<Act> = {
  key: 'queue',
  head: 'Queue',
  width: 'minmax(7rem, 10rem)',
  cell: (act) =>
    act.queue === ''
      ? `partition ${act.partition}`
      : `${act.queue}${act.subscription === undefined || act.subscription === 'main' ? '' : ` / ${act.subscription}`}`,
}
const change: Column<Act> = {
  key: 'change',
  head: 'Before → after',
  width: 'minmax(14rem, 2fr)',
  cell: (act) => changeLine(act),
}
const why: Column<Act> = {
  key: 'why',
  head: 'Why',
  width: 'minmax(8rem, 1fr)',
  cell: ({ by }) => by.reason ?? '',
}

const wide: readonly Column<Act>[] = [when, who, from, what, queue, change, why]
const narrow: readonly Column<Act>[] = [when, who, what, queue]

/** On a phone; the panel says who did it and why. */
const least: readonly Column<Act>[] = [
  { ...what, width: '8.5rem' },
  { ...queue, width: 'minmax(0, 1fr)' },
  { ...when, width: '5.5rem', cell: ({ at }) => time(at).slice('2026-'.length, -':00'.length) },
]

/** The columns of the acts; fewer when one of them is open, or the window is narrow. */
export const actColumns = (isOpen: boolean, isNarrow: boolean): readonly Column<Act>[] =>
  isNarrow ? least : isOpen ? narrow : wide
