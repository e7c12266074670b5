import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { clockTicks } from '../time/ticks.ts'
import { clock } from './format.ts'
import styles from './TimeChart.module.css'

/** One line of a chart. */
export interface ChartLine {
  readonly name: string
  /** A CSS colour, tokens included. */
  readonly colour: string
  /** Lengths of strokes and gaps in px, so that lines are told apart without their colours; empty: one stroke. */
  readonly dash: readonly number[]
  /** One per bucket, oldest first; undefined where unknown. */
  readonly values: readonly (number | undefined)[]
  /** The legend's text for now. */
  readonly last: string
  /** The legend's text for a value under the pointer. */
  readonly text: (value: number) => string
}

/** Finer buckets are labelled by age, others by time, in ms. */
const clockFromMs = 10_000
/** Room that a tick needs, in px. */
const tickPx = 76

/** Resolves a CSS colour: a canvas does not know tokens. */
const paintOf = (host: Element, colour: string): string => {
  const probe = document.createElement('i')
  probe.style.color = colour
  host.append(probe)
  const paint = getComputedStyle(probe).color
  probe.remove()
  return paint
}

/** Rises when the colour scheme changes. */
const useScheme = (): number => {
  const [scheme, setScheme] = useState(0)
  useEffect(() => {
    const changed = (): void => setScheme((before) => before + 1)
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const root = new MutationObserver(changed)
    root.observe(document.documentElement, { attributeFilter: ['style'] })
    dark.addEventListener('change', changed)
    return () => {
      root.disconnect()
      dark.removeEventListener('change', changed)
    }
  }, [])
  return scheme
}

/**
 * What happened lately as lines, in buckets of one length that end at `end`, in ms; what was under the pointer in the
 * legend. Loaded by those pages that draw it.
 */
export const TimeChart = ({
  label,
  lines,
  end,
  bucketMs,
  height = 150,
}: {
  readonly label: string
  readonly lines: readonly ChartLine[]
  readonly end: number
  readonly bucketMs: number
  readonly height?: number
}) => {
  const host = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot>(undefined)
  const data = dataOf(lines, end, bucketMs)
  const latest = useRef({ lines, data })
  latest.current = { lines, data }
  const scheme = useScheme()
  const [hovered, setHovered] = useState<number>()
  const byClock = bucketMs >= clockFromMs
  const key = `${lines.map(({ name }) => name).join(' ')} ${byClock}`
  useEffect(() => {
    const element = host.current!
    const { lines: drawn, data: known } = latest.current
    const plot = new uPlot(optionsOf(element, drawn, height, byClock, setHovered), known, element)
    chart.current = plot
    const sized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }))
    sized.observe(element)
    return () => {
      sized.disconnect()
      plot.destroy()
    }
  }, [key, height, scheme, byClock])
  useEffect(() => chart.current?.setData(latest.current.data), [lines, end, bucketMs])
  const summary = lines.map(({ name, last }) => `${name} ${last}`).join(', ')
  const at = hovered === undefined ? undefined : data[0][hovered]
  return (
    <figure className={styles['figure']}>
      <figcaption className={styles['caption']}>
        <h3>{label}</h3>
        <ul className={styles['legend']}>
          {lines.map(({ name, colour, dash, last, values, text }) => {
            const value = hovered === undefined ? undefined : values[hovered]
            return (
              <li key={name}>
                <svg width="20" height="8" aria-hidden="true">
                  <path d="M0 4h20" stroke={colour} strokeWidth="2" strokeDasharray={dash.join(' ')} />
                </svg>
                {name} <strong>{at === undefined ? last : value === undefined ? '–' : text(value)}</strong>
              </li>
            )
          })}
        </ul>
      </figcaption>
      <div ref={host} role="img" aria-label={`${label}, now: ${summary}`} className={styles['plot']}>
        {at !== undefined && <span className={styles['at']}>{timeText(at, byClock)}</span>}
      </div>
    </figure>
  )
}

/** Seconds before now, or ms since 1970. */
const dataOf = (lines: readonly ChartLine[], end: number, bucketMs: number): uPlot.AlignedData => {
  const length = lines[0]?.values.length ?? 0
  const [right, step] = bucketMs >= clockFromMs ? [end, bucketMs] : [0, bucketMs / 1_000]
  return [
    Array.from({ length }, (_, i) => right - (length - i) * step),
    ...lines.map(({ values }) => values.map((value) => value ?? null)),
  ]
}

const timeText = (at: number, byClock: boolean): string =>
  byClock ? clock(at).slice(0, 8) : `−${Math.round(-at)} s`

const optionsOf = (
  host: HTMLElement,
  lines: readonly ChartLine[],
  height: number,
  byClock: boolean,
  onHover: (bucket: number | undefined) => void,
): uPlot.Options => {
  const ink = paintOf(host, 'var(--ink-3)')
  const line = paintOf(host, 'var(--line)')
  const axis = { stroke: ink, font: `11px ${getComputedStyle(host).fontFamily}`, ticks: { show: false } }
  let texts: ReadonlyMap<number, string> = new Map()
  const ticks = (plot: uPlot, from: number, to: number): number[] => {
    texts = new Map(
      clockTicks({ from, to }, Math.max(2, Math.floor(plot.width / tickPx))).map(
        ({ at, text }) => [at, text] as const,
      ),
    )
    return [...texts.keys()]
  }
  return {
    width: host.clientWidth,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 5 } },
    hooks: { setCursor: [({ cursor }) => onHover(cursor.idx ?? undefined)] },
    scales: {
      x: { time: false },
      y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 22,
        splits: (plot, _, min, max) => (byClock ? ticks(plot, min, max) : [min, min / 2, -1]),
        values: (_, splits) =>
          splits.map((at) => (byClock ? texts.get(at)! : at === -1 ? 'now' : timeText(at, false))),
      },
      { ...axis, grid: { stroke: line, width: 1 }, size: 48, space: 36 },
    ],
    series: [
      {},
      ...lines.map(({ name, colour, dash }) => ({
        label: name,
        stroke: paintOf(host, colour),
        width: 1.75,
        points: { show: false },
        ...(dash.length === 0 ? {} : { dash: [...dash] }),
      })),
    ],
  }
}
