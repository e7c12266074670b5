import type { TraceAttempt, TraceStep } from '@kiroku/audit'
import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import { clock, duration, utcTime } from '../../../parts/format.ts'
import { StateShape, stateColour, stateWords } from '../../../parts/StateMark.tsx'
import { layoutTimeline } from './layoutTimeline.ts'
import styles from './TimelineView.module.css'

/** What is drawn beyond the edges, in px. */
const beyondPx = 400
/** Room that a label needs, in px. */
const labelPx = 76
/** Usual width of the words about an attempt. */
const whoPx = 240

/** Every event of a message over time; only visible ones are drawn. */
export const TimelineView = ({
  steps,
  attempts,
  happened,
  selected,
  now,
  onSelect,
}: {
  readonly steps: readonly TraceStep[]
  readonly attempts: readonly TraceAttempt[]
  /** How many of the events had happened at the chosen moment. */
  readonly happened: number
  readonly selected: number
  /** Partition time in ms, while the message is not final. */
  readonly now: number | undefined
  readonly onSelect: (event: number) => void
}) => {
  const scroller = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ from: 0, width: 0 })
  const look = (): void => {
    const { scrollLeft = 0, clientWidth = 0 } = scroller.current ?? {}
    setView((before) =>
      before.from === scrollLeft && before.width === clientWidth
        ? before
        : { from: scrollLeft, width: clientWidth },
    )
  }
  useLayoutEffect(() => {
    look()
    const observer = new ResizeObserver(look)
    observer.observe(scroller.current!)
    return () => observer.disconnect()
  }, [])
  const line = useMemo(
    () => layoutTimeline(steps, attempts, Math.max(0, view.width - 48), now),
    [steps, attempts, view.width, now],
  )
  const x = line.events[selected]?.x ?? 0
  useLayoutEffect(() => {
    const box = scroller.current!
    if (x < box.scrollLeft + 40 || x > box.scrollLeft + box.clientWidth - 80)
      box.scrollLeft = x - box.clientWidth / 2
  }, [x])
  const inSight = (at: number, width: number): boolean =>
    at + width > view.from - beyondPx && at < view.from + view.width + beyondPx
  const laneTop = (lane: number): string => `calc(5.75rem + ${lane} * 1.625rem)`
  let labelledTo = -Infinity
  return (
    <div
      ref={scroller}
      className={`card ${styles['scroller']}`}
      role="group"
      aria-label={`Timeline of ${steps.length} events; the list below says the same`}
      tabIndex={0}
      onScroll={look}
    >
      <div
        className={styles['line']}
        style={{ width: line.width + 24, height: `calc(8rem + ${line.lanes} * 1.625rem)` }}
      >
        {line.sections.map((section) => (
          <div
            key={section.from}
            className={styles['section']}
            style={{ left: section.x, width: section.width }}
          >
            <span className={styles['queue']}>
              {section.from > 0 && '↪ '}
              {section.queue} <span className="quiet">partition {section.partition}</span>
            </span>
          </div>
        ))}
        <div className={styles['selected']} style={{ left: x }} />
        {line.events.map((event, i) => {
          if (!inSight(event.x, event.gapPx)) return null
          const step = steps[i]!
          const isLater = i >= happened
          const isLabelled = event.x - labelledTo >= labelPx
          if (isLabelled) labelledTo = event.x
          return (
            <div
              key={i}
              className={styles['event']}
              style={{ left: event.x, width: event.gapPx }}
              data-later={isLater}
            >
              <button
                type="button"
                tabIndex={-1}
                className={styles['mark']}
                aria-pressed={i === selected}
                aria-label={`${i + 1}: ${step.event}, ${clock(step.at)}`}
                title={`${step.event} · ${utcTime(step.at)} · ${step.partition}/${step.seq}`}
                data-voided={step.voided === true}
                onClick={() => onSelect(i)}
              >
                <StateShape state={step.state} />
              </button>
              {event.gapPx >= labelPx && event.gapMs > 0 && (
                <span className={styles['gap']} data-long={event.gapMs >= 60_000}>
                  {duration(event.gapMs)}
                </span>
              )}
              <div
                className={styles['band']}
                style={{
                  background: `color-mix(in oklab, ${stateColour(step.state)} ${isLater ? 6 : 24}%, var(--sheet))`,
                }}
              >
                {event.gapPx >= 96 && stateWords[step.state]}
              </div>
              {isLabelled && <span className={styles['clock']}>{clock(step.at)}</span>}
            </div>
          )
        })}
        {line.bars.map(({ attempt, from, x: left, width, leasePx, lane }) =>
          inSight(left - whoPx, width + 2 * whoPx) ? (
            <button
              key={from}
              type="button"
              tabIndex={-1}
              className={styles['bar']}
              style={{
                left,
                width: Math.max(4, width),
                top: laneTop(lane),
                ['--lease' as string]: `${leasePx}px`,
              }}
              data-failed={attempt.error !== undefined}
              data-open={attempt.ms === undefined}
              data-late={left > whoPx && left + width + whoPx > line.width}
              data-later={from >= happened}
              onClick={() => onSelect(from)}
            >
              <span className={styles['who']}>
                {attempt.attempt} · {attempt.consumer || 'unknown'}
                {attempt.subscription === undefined ? '' : ` · ${attempt.subscription}`} ·{' '}
                {attempt.ms === undefined ? 'at work' : duration(attempt.ms)} of{' '}
                {duration(attempt.leaseUntil - attempt.at)} lease
              </span>
            </button>
          ) : null,
        )}
      </div>
    </div>
  )
}
