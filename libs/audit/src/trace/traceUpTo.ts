import type { Trace, TraceStep } from './TraceStep.ts'
import { attemptsOf } from './attemptsOf.ts'
import { redriveCountOf } from './redriveCount.ts'

/** A trace as of the moment when only these of its steps had happened; undefined: none had. */
export const traceUpTo = (trace: Trace, hasHappened: (step: TraceStep) => boolean): Trace | undefined => {
  const steps = trace.steps.filter(hasHappened)
  const valid = steps.filter(({ voided }) => voided !== true)
  const last = valid.findLast(({ subscription = 'main' }) => subscription === 'main') ?? valid.at(-1)
  if (last === undefined) return undefined
  const isElsewhere = (step: TraceStep, i: number): boolean =>
    step.queue !== steps[i - 1]?.queue || step.partition !== steps[i - 1]?.partition
  return {
    ...trace,
    queues: steps.filter(isElsewhere).map(({ queue }) => queue),
    state: last.state,
    steps,
    attempts: attemptsOf(steps),
    cameBack: redriveCountOf(steps),
  }
}
