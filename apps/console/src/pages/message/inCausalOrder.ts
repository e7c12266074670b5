import type { TraceStep } from '@kiroku/audit'

const placeOf = ({ partition, queue, number }: TraceStep): string => `${partition}/${queue}/${number}`

/**
 * The events with times at which no effect comes before its cause. Each partition has a clock of its own, and they differ
 * by a little: what was forwarded from one to another is shown no earlier than it was sent on.
 */
export const inCausalOrder = (steps: readonly TraceStep[]): readonly TraceStep[] => {
  const earliest = new Map<string, number>()
  const shown: TraceStep[] = []
  for (const step of steps) {
    const place = placeOf(step)
    const { from } = step
    const cause =
      from === undefined
        ? undefined
        : shown.findLast(
            ({ partition, queue, target }) =>
              target?.forward === from.forward && partition === from.partition && queue === from.queue,
          )
    const at = Math.max(step.at, cause?.at ?? 0, earliest.get(place) ?? 0)
    if (cause !== undefined) earliest.set(place, at)
    shown.push(at === step.at ? step : { ...step, at })
  }
  return shown
}
