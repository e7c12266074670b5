import type { TraceStep } from '@kiroku/audit'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import { duration } from '../../parts/format.ts'
import { Time } from '../../parts/When.tsx'
import { StateMark } from '../../parts/StateMark.tsx'
import { detailsOf, type Change } from './changesOf.ts'
import styles from './EventList.module.css'

/** What is shown next to an event on its line. */
const briefOf = (step: TraceStep): string =>
  [
    step.error,
    step.consumer,
    step.target && `to ${step.target.queue}`,
    step.from && `from ${step.from.queue}`,
    step.reason,
    step.by && `by ${step.by.name}`,
    step.by?.reason,
  ]
    .filter((text) => text !== undefined && text !== '')
    .join(' · ')

/** Every event on a line, or with everything it changed. Only visible ones are drawn. */
export const EventList = ({
  steps,
  changes,
  happened,
  selected,
  isFull,
  onSelect,
}: {
  readonly steps: readonly TraceStep[]
  readonly changes: readonly (readonly Change[])[]
  readonly happened: number
  readonly selected: number
  readonly isFull: boolean
  readonly onSelect: (event: number) => void
}) => {
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: steps.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isFull ? 120 : 32),
    overscan: 8,
  })
  useEffect(() => virtual.measure(), [virtual, isFull])
  useEffect(() => virtual.scrollToIndex(selected), [virtual, selected, isFull])
  const items = virtual.getVirtualItems()
  const isDrawn = items.some(({ index }) => index === selected)
  return (
    <div
      ref={scroller}
      className={`card ${styles['scroller']}`}
      role="listbox"
      aria-label="Events"
      aria-activedescendant={isDrawn ? `event-${selected}` : undefined}
      tabIndex={0}
      onKeyDown={(event) => {
        const by: Record<string, number> = {
          ArrowDown: 1,
          j: 1,
          ArrowUp: -1,
          k: -1,
          Home: -steps.length,
          End: steps.length,
        }
        const step = by[event.key]
        if (step === undefined || event.metaKey || event.ctrlKey) return
        event.preventDefault()
        onSelect(Math.max(0, Math.min(steps.length - 1, selected + step)))
      }}
    >
      <div style={{ height: virtual.getTotalSize(), position: 'relative' }} role="presentation">
        {items.map(({ index, start }) => {
          const step = steps[index]!
          const before = steps[index - 1]
          return (
            <div
              key={index}
              id={`event-${index}`}
              ref={virtual.measureElement}
              data-index={index}
              role="option"
              aria-selected={index === selected}
              className={styles['event']}
              data-later={index >= happened}
              style={{ transform: `translateY(${start}px)` }}
              onClick={() => onSelect(index)}
            >
              <div className={styles['line']}>
                <code className="quiet">
                  <Time at={step.at} form="clock" />
                </code>
                <span className={`number quiet ${styles['wait']}`}>
                  {before === undefined || step.at < before.at ? '' : `+${duration(step.at - before.at)}`}
                </span>
                <span className={styles['name']} data-voided={step.voided === true}>
                  {step.event}
                </span>
                <StateMark state={step.state} />
                <span className={styles['brief']}>
                  {step.voided === true && 'given up by a repair · '}
                  {index >= happened && 'later · '}
                  {step.subscription !== undefined && `${step.subscription} · `}
                  {briefOf(step)}
                </span>
              </div>
              {isFull && <EventFacts step={step} changes={changes[index]!} />}
            </div>
          )
        })}
      </div>
    </div>
  )
}

/** What an event changed, and what came with it. */
export const EventFacts = ({
  step,
  changes,
}: {
  readonly step: TraceStep
  readonly changes: readonly Change[]
}) => (
  <dl className={styles['facts']}>
    {changes.map(({ name, before, after }) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>
          <span className="quiet">{before}</span> → {after}
        </dd>
      </div>
    ))}
    {detailsOf(step).map(([name, value]) => (
      <div key={`said ${name}`}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
    <div>
      <dt>Record</dt>
      <dd>
        <code>
          {step.partition}/{step.seq}
        </code>{' '}
        <span className="quiet">
          {step.queue}, number {step.number}
        </span>
      </dd>
    </div>
  </dl>
)
