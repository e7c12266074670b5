import type { Trace } from '@kiroku/audit'
import type { Sees } from './withoutOthers.ts'

/** What happened to a message in queues that a caller sees; undefined: nothing. */
export const traceWithoutOthers = (
  trace: Trace,
  { sees, handles }: { readonly sees: Sees; readonly handles: Sees },
): Trace | undefined => {
  const hidesErrors = trace.hidden === 'all'
  const withoutError = <S extends { readonly queue: string; readonly error?: string }>(step: S): S => {
    if (!hidesErrors || handles(step.queue)) return step
    const { error: _, ...rest } = step
    return rest as S
  }
  const steps = trace.steps
    .filter(({ queue }) => sees(queue))
    .map((step) => {
      const { target, from, ...rest } = withoutError(step)
      // What another queue gave it up for is part of what happened there.
      const { error, cause, ...arrived } = rest
      const comesFromElsewhere = from !== undefined && !sees(from.queue)
      return {
        ...(comesFromElsewhere ? arrived : rest),
        ...(target === undefined || !sees(target.queue) ? {} : { target }),
        ...(from === undefined || comesFromElsewhere ? {} : { from }),
      }
    })
  const last = steps.at(-1)
  if (last === undefined) return undefined
  const isWhole = steps.length === trace.steps.length
  return {
    ...trace,
    queues: trace.queues.filter(sees),
    state: isWhole ? trace.state : last.state,
    steps,
    attempts: trace.attempts.filter(({ queue }) => sees(queue)).map(withoutError),
    cameBack: isWhole ? trace.cameBack : 0,
  }
}
