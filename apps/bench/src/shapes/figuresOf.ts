import { atLeast, atMost, type Figure, informs } from '../Figure.ts'
import { type Measured, type Shape, spreadMax } from './measureTurns.ts'
import type { Report } from './Report.ts'

/** What a phase should reach. */
export interface Target {
  /** Messages per second over those of the best peer, and of the best that is a queue. */
  readonly overBest?: number
  readonly overBestQueue?: number
  /** Messages per second over those of some peers. */
  readonly over?: Readonly<Record<string, number>>
  /** Processor time a message over that of the peer that takes least, at most. */
  readonly processor?: number
}

/** The figures of a shape, whose first system is Kiroku, and which peers may follow; the table of it goes to the report. */
export const figuresOf = (
  report: Report,
  shape: Shape,
  measured: readonly Measured[],
  targetOf?: (phase: string) => Target,
): Figure[] =>
  shape.phases.flatMap(({ name: phase }) => {
    const rows = measured.filter((each) => each.phase === phase)
    const title = `${shape.title}, ${phase}`
    const [own, ...peers] = rows.map(({ perSecond }) => perSecond)
    if (targetOf !== undefined && peers.length > 0)
      report.bars.push({ title, ratio: own! / Math.max(...peers) })
    report.table(title, columns, rows.map(rowOf(targetOf === undefined ? [] : rows.slice(1))))
    return [
      ...rows.flatMap((row) => plain(title, row)),
      ...(targetOf === undefined ? [] : against(title, rows, targetOf(phase))),
    ]
  })

const plain = (title: string, row: Measured): Figure[] => {
  const name = `${title}, ${row.system.name}`
  return [
    { ...informs(name, row.perSecond, '/s'), ...apart(row) },
    informs(`${name}, processor a message`, row.sumUs, 'µs'),
    ...(row.system.own === undefined
      ? []
      : [
          ...Object.entries(row.processorUs).map(([process, us]) =>
            informs(`${name}, processor a message, ${process}`, us, 'µs'),
          ),
          informs(`${name}, NATS messages a message`, row.natsMessages, ''),
          informs(`${name}, bytes through NATS a body byte`, row.natsBytes, ''),
          informs(`${name}, records a message`, row.records, ''),
        ]),
  ]
}

const against = (title: string, [own, ...peers]: readonly Measured[], target: Target): Figure[] => {
  if (own === undefined || peers.length === 0) return []
  const best = peers.reduce((a, b) => (a.perSecond > b.perSecond ? a : b))
  const leastUs = Math.min(...peers.map(({ sumUs }) => sumUs))
  const name = `${title}, Kiroku over the best peer`
  const overBest = own.perSecond / best.perSecond
  const figures = [
    target.overBest === undefined
      ? informs(name, overBest, '×')
      : atLeast(name, overBest, '×', target.overBest),
  ]
  const queues = peers.filter(({ system }) => system.isRaw !== true).map(({ perSecond }) => perSecond)
  if (queues.length > 0) {
    const queue = `${title}, Kiroku over the best queue`
    const over = own.perSecond / Math.max(...queues)
    figures.push(
      target.overBestQueue === undefined
        ? informs(queue, over, '×')
        : atLeast(queue, over, '×', target.overBestQueue),
    )
  }
  for (const [peer, least] of Object.entries(target.over ?? {})) {
    const found = peers.find(({ system }) => system.name === peer)
    if (found !== undefined)
      figures.push(atLeast(`${title}, Kiroku over ${peer}`, own.perSecond / found.perSecond, '×', least))
  }
  if (target.processor !== undefined)
    figures.push(
      atMost(
        `${title}, processor of Kiroku over the peer that takes least`,
        own.sumUs / leastUs,
        '×',
        target.processor,
      ),
    )
  return figures
}

const apart = ({ spread }: Measured): Partial<Figure> =>
  spread > spreadMax ? { spread: Math.round(spread * 100) } : {}

const columns = [
  '',
  'messages/s',
  'spread',
  'of the best peer',
  'processor, µs a message',
  'of which',
  'in the log and NATS, a message',
]

/** A line of the table; a rate whose rounds lie too far apart is marked. */
const rowOf =
  (peers: readonly Measured[]) =>
  (row: Measured): string[] => {
    const best = Math.max(...peers.map(({ perSecond }) => perSecond))
    const share = peers.length === 0 ? '' : `${(row.perSecond / best).toFixed(2)} ×`
    const parts = Object.entries(row.processorUs).map(([name, us]) => `${name} ${short(us)}`)
    const own =
      row.system.own === undefined
        ? ''
        : `${short(row.records)} records, ${short(row.natsMessages)} NATS messages, ${short(row.natsBytes)} × its bytes`
    return [
      row.system.name,
      `${Math.round(row.perSecond).toLocaleString('en')}${row.spread > spreadMax ? ' (!)' : ''}`,
      `${Math.round(row.spread * 100)} %`,
      share,
      short(row.sumUs),
      parts.join(', '),
      own,
    ]
  }

/** Three figures are all that rounds of a benchmark agree on. */
export const short = (value: number): string => Number(value.toPrecision(3)).toLocaleString('en')
