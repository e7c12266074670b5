import type { TraceStep } from './TraceStep.ts'

/**
 * The steps of a trace with the times to show. Each partition has a clock of its own, so a message may arrive
 * before it was forwarded, by a few ms: what was caused by a step elsewhere is shown no earlier than that.
 */
export const causalSteps = (steps: readonly TraceStep[]): TraceStep[] => {
  const forwarded = new Map<string, number>()
  const earliest = new Map<string, number>()
  return steps.map((step) => {
    const { partition, queue, number, from, target } = step
    const place = `${partition}/${queue}/${number}`
    const cause =
      from === undefined ? undefined : forwarded.get(`${from.partition}/${from.queue}/${from.forward}`)
    if (cause !== undefined) earliest.set(place, cause)
    const at = Math.max(step.at, earliest.get(place) ?? step.at)
    if (target !== undefined) forwarded.set(`${partition}/${queue}/${target.forward}`, at)
    return at === step.at ? step : { ...step, at }
  })
}
