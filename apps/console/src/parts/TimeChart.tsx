import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import styles from './TimeChart.module.css'

/** One line of a chart. */
export interface ChartLine {
  readonly name: string
  /** A colour as CSS has it, tokens included. */
  readonly colour: string
  /** Lengths of strokes and gaps in px, so that lines are told apart without their colours; empty: one stroke. */
  readonly dash: readonly number[]
  /** The oldest first, a second each; undefined where nothing is known. */
  readonly values: readonly (number | undefined)[]
  /** What the legend says of the last value. */
  readonly last: string
}

/** Reads what CSS makes of a colour here and now: a canvas knows no tokens. */
const paintOf = (host: Element, colour: string): string => {
  const probe = document.createElement('i')
  probe.style.color = colour
  host.append(probe)
  const paint = getComputedStyle(probe).color
  probe.remove()
  return paint
}

/** Rises when light becomes dark or the other way round. */
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

/** What happened in the last seconds, as lines; `now` is the right edge. Loaded by those pages that draw it. */
export const TimeChart = ({
  label,
  lines,
  height = 150,
}: {
  readonly label: string
  readonly lines: readonly ChartLine[]
  readonly height?: number
}) => {
  const host = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot>(undefined)
  const latest = useRef(lines)
  latest.current = lines
  const scheme = useScheme()
  const key = lines.map(({ name }) => name).join(' ')
  useEffect(() => {
    const element = host.current!
    const plot = new uPlot(optionsOf(element, latest.current, height), dataOf(latest.current), element)
    chart.current = plot
    const sized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }))
    sized.observe(element)
    return () => {
      sized.disconnect()
      plot.destroy()
    }
  }, [key, height, scheme])
  useEffect(() => chart.current?.setData(dataOf(lines)), [lines])
  const summary = lines.map(({ name, last }) => `${name} ${last}`).join(', ')
  return (
    <figure className={styles['figure']}>
      <figcaption className={styles['caption']}>
        <h3>{label}</h3>
        <ul className={styles['legend']}>
          {lines.map(({ name, colour, dash, last }) => (
            <li key={name}>
              <svg width="20" height="8" aria-hidden="true">
                <path d="M0 4h20" stroke={colour} strokeWidth="2" strokeDasharray={dash.join(' ')} />
              </svg>
              {name} <strong>{last}</strong>
            </li>
          ))}
        </ul>
      </figcaption>
      <div ref={host} role="img" aria-label={`${label}, now: ${summary}`} className={styles['plot']} />
    </figure>
  )
}

const dataOf = (lines: readonly ChartLine[]): uPlot.AlignedData => {
  const seconds = lines[0]?.values.length ?? 0
  return [
    Array.from({ length: seconds }, (_, i) => i - seconds),
    ...lines.map(({ values }) => values.map((value) => value ?? null)),
  ]
}

const optionsOf = (host: HTMLElement, lines: readonly ChartLine[], height: number): uPlot.Options => {
  const ink = paintOf(host, 'var(--ink-3)')
  const line = paintOf(host, 'var(--line)')
  const axis = { stroke: ink, font: `11px ${getComputedStyle(host).fontFamily}`, ticks: { show: false } }
  return {
    width: host.clientWidth,
    height,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false },
      y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 22,
        splits: (_, __, min) => [min, min / 2, -1],
        values: (_, splits) => splits.map((second) => (second === -1 ? 'now' : `−${Math.round(-second)} s`)),
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
