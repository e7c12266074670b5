import type { TraceStep } from '@kiroku/audit'
import { clock, duration } from '../../parts/format.ts'

/** What an event changed: a value before and after it. */
export interface Change {
  readonly name: string
  readonly before: string
  readonly after: string
}

/** A message's data besides its state, according to the record. */
const memory = ['attempt', 'delivery', 'leaseUntil', 'dueAt', 'reason'] as const

const names: Readonly<Record<(typeof memory)[number], string>> = {
  attempt: 'Attempt',
  delivery: 'Delivery',
  leaseUntil: 'Lease until',
  dueAt: 'Due',
  reason: 'Reason',
}

const sideOf = (step: TraceStep): string =>
  `${step.partition}/${step.queue}/${step.number}/${step.subscription ?? ''}`

/**
 * What each event of a trace changed in its subscription's side of the message: state, attempt, delivery, the ends of
 * the lease and of a pause. Values without meaning in the new state are dropped.
 */
export const changesOf = (steps: readonly TraceStep[]): readonly (readonly Change[])[] => {
  const sides = new Map<string, Record<string, string>>()
  return steps.map((step) => {
    if (step.voided === true) return []
    const shared = sides.get(sideOf({ ...step, subscription: 'main' })) ?? sides.get(placeKey(step))
    const before = sides.get(sideOf(step)) ?? shared ?? {}
    const after = valuesOf(step, before)
    sides.set(sideOf(step), after)
    if (step.subscription === undefined) sides.set(placeKey(step), after)
    const all = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...all]
      .filter((name) => before[name] !== after[name])
      .map((name) => ({ name, before: before[name] ?? '–', after: after[name] ?? '–' }))
  })
}

const placeKey = (step: TraceStep): string => `${step.partition}/${step.queue}/${step.number}`

const valuesOf = (step: TraceStep, before: Record<string, string>): Record<string, string> => {
  const values: Record<string, string> = { State: step.state, Attempt: String(step.attempt) }
  if (before['Delivery'] !== undefined) values['Delivery'] = before['Delivery']
  if (step.state === 'Inflight' && before['Lease until'] !== undefined)
    values['Lease until'] = before['Lease until']
  for (const name of memory) {
    const value = step[name]
    if (value === undefined || name === 'attempt') continue
    values[names[name]] =
      name === 'leaseUntil' || name === 'dueAt' ? momentText(Number(value), step.at) : String(value)
  }
  return values
}

/** A future time as a clock time and how far away it was. */
const momentText = (at: number, from: number): string =>
  `${clock(at)} (${at >= from ? `in ${duration(at - from)}` : `${duration(from - at)} before`})`

/** An event in words: what it carried besides the change of state. */
export const detailsOf = (step: TraceStep): readonly (readonly [string, string])[] => {
  const { consumer, producer, error, cause, target, from, by, reason } = step
  const said: (readonly [string, string | undefined])[] = [
    ['Worker', consumer],
    ['Producer', producer],
    ['Error', error],
    ['Cause', cause],
    ['Reason', reason],
    ['Goes to', target && `${target.queue} on partition ${target.partition}, forward ${target.forward}`],
    ['Came from', from && `${from.queue} on partition ${from.partition}, forward ${from.forward}`],
    ['Done by', by && `${by.name} (${by.origin})`],
    ['Why', by?.reason],
  ]
  return said.filter((pair): pair is readonly [string, string] => pair[1] !== undefined && pair[1] !== '')
}
