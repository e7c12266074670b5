import type { TraceAttempt, TraceStep } from '@kiroku/audit'

/** An event on the line: at `x`, and `gapPx` wide up to the next. */
interface PlacedEvent {
  readonly x: number
  readonly gapPx: number
  /** Time until the next event, in ms; of the last one, until now if the message is not final. */
  readonly gapMs: number
}

/** A stay in one queue: events `from` up to and without `to`. */
interface Section {
  readonly from: number
  readonly to: number
  readonly queue: string
  readonly partition: number
  readonly x: number
  readonly width: number
}

/** A delivery: the work, followed by the rest of the lease. */
interface Bar {
  readonly attempt: TraceAttempt
  /** Events that began and ended it. */
  readonly from: number
  readonly to: number
  readonly x: number
  readonly width: number
  /** How far the lease goes beyond the work. */
  readonly leasePx: number
  readonly lane: number
}

/** Where everything is, in px from the left. */
export interface Timeline {
  readonly events: readonly PlacedEvent[]
  readonly sections: readonly Section[]
  readonly bars: readonly Bar[]
  readonly lanes: number
  readonly width: number
}

/** Lanes that attempts use one after the other before starting at the top again. */
const lanesMax = 6
/** Events that follow at once are this far apart, so that each can be pointed at. */
const nearestPx = 28
/** Space left free after a final end. */
const endPx = 72

/** Time grows with its logarithm: three milliseconds are legible, and three days are not much wider. */
const pxOf = (ms: number): number => nearestPx * (1 + 0.8 * Math.log10(1 + ms))

const placeOf = (step: TraceStep): string => `${step.partition}/${step.queue}/${step.number}`

/**
 * Lays the events of a message out: time is drawn by its logarithm between one event and the next, and
 * stretched to `width` px if it does not fill them. `now` is given while the message is not final.
 */
export const layoutTimeline = (
  steps: readonly TraceStep[],
  attempts: readonly TraceAttempt[],
  width: number,
  now?: number,
): Timeline => {
  const gaps = steps.map((step, i) => {
    const until = steps[i + 1]?.at ?? now
    return until === undefined ? 0 : Math.max(0, until - step.at)
  })
  const natural = gaps.map((ms, i) =>
    i === gaps.length - 1 ? Math.max(endPx, now === undefined ? 0 : pxOf(ms)) : pxOf(ms),
  )
  const sum = natural.reduce((all, px) => all + px, 0)
  const stretch = sum > 0 ? Math.max(1, width / sum) : 1
  const events: PlacedEvent[] = []
  let x = 0
  for (const [i, px] of natural.entries()) {
    const gapPx = px * stretch
    events.push({ x, gapPx, gapMs: gaps[i]! })
    x += gapPx
  }
  const sections = sectionsOf(steps, events)
  const bars = barsOf(steps, attempts, events, sections)
  return { events, sections, bars, lanes: Math.min(lanesMax, bars.length), width: x }
}

const sectionsOf = (steps: readonly TraceStep[], events: readonly PlacedEvent[]): Section[] => {
  const sections: Section[] = []
  for (let from = 0; from < steps.length;) {
    const { queue, partition } = steps[from]!
    const place = placeOf(steps[from]!)
    let to = from + 1
    while (to < steps.length && placeOf(steps[to]!) === place) to++
    const last = events[to - 1]!
    sections.push({
      from,
      to,
      queue,
      partition,
      x: events[from]!.x,
      width: last.x + last.gapPx - events[from]!.x,
    })
    from = to
  }
  return sections
}

const barsOf = (
  steps: readonly TraceStep[],
  attempts: readonly TraceAttempt[],
  events: readonly PlacedEvent[],
  sections: readonly Section[],
): Bar[] => {
  const bars: Bar[] = []
  let section = 0
  let next = 0
  for (const [from, step] of steps.entries()) {
    if (step.event !== 'Delivered' || step.voided === true) continue
    const attempt = attempts[next++]
    if (attempt === undefined) break
    while (sections[section]!.to <= from) section++
    const { to: sectionTo, x: sectionX, width: sectionPx } = sections[section]!
    const endsAt = attempt.ms === undefined ? Infinity : attempt.at + attempt.ms
    let to = from + 1
    while (to < sectionTo && !endsIt(steps[to]!, attempt, endsAt)) to++
    const x = events[from]!.x
    const end = to < sectionTo ? events[to]!.x : sectionX + sectionPx
    const leaseEnd = attempt.ms === undefined ? end : xAt(steps, events, to, sectionTo, attempt.leaseUntil)
    bars.push({
      attempt,
      from,
      to,
      x,
      width: end - x,
      leasePx: Math.max(0, leaseEnd - end),
      lane: bars.length % lanesMax,
    })
  }
  return bars
}

const endsIt = (step: TraceStep, attempt: TraceAttempt, endsAt: number): boolean =>
  step.voided !== true &&
  step.at >= endsAt &&
  step.state !== 'Inflight' &&
  (step.subscription === undefined || step.subscription === (attempt.subscription ?? step.subscription))

/** Where a time is among the events `from` up to and without `to`. */
const xAt = (
  steps: readonly TraceStep[],
  events: readonly PlacedEvent[],
  from: number,
  to: number,
  at: number,
): number => {
  if (from >= to) return 0
  let i = from
  while (i + 1 < to && steps[i + 1]!.at <= at) i++
  const { x, gapPx, gapMs } = events[i]!
  const part = gapMs === 0 ? 1 : Math.min(1, Math.max(0, (at - steps[i]!.at) / gapMs))
  return x + part * Math.min(gapPx, endPx)
}
