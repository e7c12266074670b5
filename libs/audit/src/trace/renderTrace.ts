import { missingText } from '../replay/missingText.ts'
import type { Trace, TraceAttempt, TraceStep } from './TraceStep.ts'
import { causalSteps } from './causalSteps.ts'
import { timesText } from './redriveCount.ts'

const columns = 100

/**
 * A trace as text of up to 100 columns: the path through the states with the time in each, one line for
 * each event, and one for each delivery.
 */
export const renderTrace = (trace: Trace): string => {
  const steps = causalSteps(trace.steps)
  const rows = folded(steps)
  const head: Row = ['TIME (UTC)', 'SEQ', 'QUEUE', 'EVENT', 'TRY', 'STATE', '']
  const widths = head.map((_, i) => Math.max(...[head, ...rows].map((row) => row[i]!.length)))
  const line = (row: Row): string =>
    fit(row.map((cell, i) => (i < row.length - 1 ? cell.padEnd(widths[i]!) : cell)).join('  '))
  return [
    `${trace.messageId}  ${trace.queues.join(' → ')}`,
    ...wrap(pathOf(steps)),
    '',
    line(head),
    ...rows.map(line),
    ...(trace.attempts.length === 0 ? [] : ['', ...attemptLines(trace.attempts)]),
    ...notes(trace),
    '',
  ].join('\n')
}

type Row = readonly [string, string, string, string, string, string, string]

/**
 * One row per step; consecutive deliveries that reached no consumer share one: a killed consumer leaves
 * several receives behind, and each gets the message before the engine notices.
 */
const folded = (steps: readonly TraceStep[]): Row[] => {
  const rows: Row[] = []
  for (let i = 0; i < steps.length;) {
    let end = i
    while (isUndelivered(steps[end], steps[end + 1])) end += 2
    const times = (end - i) / 2
    if (times > 1) {
      const [time, seq, queue, , attempt] = rowOf(steps[i]!)
      rows.push([time, seq, queue, 'Delivered', attempt, 'Available', `${times} × undelivered`])
      i = end
    } else rows.push(rowOf(steps[i++]!))
  }
  return rows
}

const isUndelivered = (given: TraceStep | undefined, back: TraceStep | undefined): boolean =>
  given?.event === 'Delivered' && back?.event === 'Released' && back.cause === 'undelivered'

const rowOf = (step: TraceStep): Row => [
  timeText(step.at),
  `${step.partition}/${step.seq}`,
  shorten(step.subscription === undefined ? step.queue : `${step.queue}:${step.subscription}`, 24),
  step.event,
  String(step.attempt),
  step.state,
  detailOf(step),
]

const detailOf = (s: TraceStep): string => {
  const parts: string[] = []
  if (s.voided) parts.push('given up by a repair')
  if (s.dueAt !== undefined) parts.push(`in ${durationText(s.dueAt - s.at)}`)
  if (s.leaseUntil !== undefined) parts.push(`lease ${durationText(s.leaseUntil - s.at)}`)
  if (s.target !== undefined) parts.push(`to ${s.target.queue}`)
  if (s.from !== undefined) parts.push(`from ${s.from.queue}`)
  if (s.reason !== undefined) parts.push(s.reason)
  if (s.cause !== undefined && s.cause !== 'retry') parts.push(s.cause)
  if (s.error !== undefined) parts.push(s.error.replaceAll(/\s+/g, ' '))
  if (s.consumer !== undefined) parts.push(s.consumer)
  if (s.producer !== undefined) parts.push(`by ${s.producer}`)
  if (s.by !== undefined) parts.push(`by ${s.by.name}`)
  if (s.by?.reason !== undefined) parts.push(s.by.reason)
  return parts.join(', ')
}

/** A state of the path, and how long the message stayed there in ms, once it has left. */
interface Stop {
  readonly state: string
  readonly at: number
  ms: number | undefined
}

/** The top-level states in their order; what happens within one state is no step of the path. */
const pathOf = (steps: readonly TraceStep[]): string[] => {
  const path: Stop[] = []
  let before = ''
  for (const { state, queue, number, voided, subscription, at } of steps) {
    if (voided || subscription !== undefined) continue
    const top = state === 'Held' || state === 'Delayed' || state === 'Available' ? 'Ready' : state
    const place = `${queue}/${number}/${top}`
    if (place === before) continue
    const last = path.at(-1)
    if (last !== undefined) last.ms = Math.max(0, at - last.at)
    path.push({ state: top, at, ms: undefined })
    before = place
  }
  return path.map(({ state, ms }) => (ms === undefined ? state : `${state} ${durationText(ms)}`))
}

const wrap = (path: readonly string[]): string[] => {
  const lines: string[] = []
  let line = ''
  for (const [i, state] of path.entries()) {
    const part = i === 0 ? state : ` → ${state}`
    if (line.length + part.length > columns) {
      lines.push(line)
      line = ' '
    }
    line += part
  }
  return [...lines, line]
}

/** One line per delivery: the wait before it, and how long the work took. */
const attemptLines = (attempts: readonly TraceAttempt[]): string[] => {
  if (attempts.length === 0) return []
  const head = ['ATTEMPT', 'WAITED', 'WORKED', 'LEASE', 'WORKER', 'OUTCOME', '']
  const rows = attempts.map((a) => [
    `${a.attempt}${a.subscription === undefined ? '' : ` ${shorten(a.subscription, 20)}`}`,
    durationText(a.waitMs),
    a.ms === undefined ? '…' : durationText(a.ms),
    durationText(a.leaseUntil - a.at),
    shorten(a.consumer, 24),
    a.outcome ?? 'in flight',
    (a.error ?? '').replaceAll(/\s+/g, ' '),
  ])
  const widths = head.map((_, i) => Math.max(...[head, ...rows].map((row) => row[i]!.length)))
  return [head, ...rows].map((row) => fit(row.map((cell, i) => cell.padEnd(widths[i]!)).join('  ')))
}

const notes = (trace: Trace): string[] => {
  const lines: string[] = []
  if (trace.cameBack > 0)
    lines.push(`It was redriven and became a dead letter again ${timesText(trace.cameBack)}.`)
  if (!trace.complete) lines.push('The record begins later than the message: earlier events were trimmed.')
  const [first] = trace.unreadable
  const count = trace.unreadable.length
  if (first !== undefined) {
    const place = `${first.partition}/${first.seq}`
    lines.push(
      count === 1
        ? `1 record cannot be read: ${place}; run \`kiroku verify\`.`
        : `${count} records cannot be read, the first is ${place}; run \`kiroku verify\`.`,
    )
  }
  for (const each of trace.missing ?? []) lines.push(missingText(each))
  return lines.length === 0 ? [] : ['', ...lines]
}

/** Month, day and time; the year is in the JSON form. */
export const timeText = (ms: number): string => new Date(ms).toISOString().slice(5, -1).replace('T', ' ')

export const durationText = (ms: number): string =>
  ms < 1_000 ? `${ms} ms` : ms < 600_000 ? `${Math.round(ms / 100) / 10} s` : `${Math.round(ms / 60_000)} min`

const shorten = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1)}…`

const fit = (line: string): string => shorten(line.trimEnd(), columns)
