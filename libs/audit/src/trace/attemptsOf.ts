import type { TraceAttempt, TraceStep } from './TraceStep.ts'

/** What is known of one subscription at one place. */
interface Side {
  /** Since when it is available. */
  since: number | undefined
  open: { -readonly [K in keyof TraceAttempt]: TraceAttempt[K] } | undefined
}

/** The deliveries in a trace, with the wait before each and its duration. */
export const attemptsOf = (steps: readonly TraceStep[]): TraceAttempt[] => {
  const attempts: TraceAttempt[] = []
  const sides = new Map<string, Side>()
  const shared = new Map<string, number | undefined>()
  for (const step of steps) {
    if (step.voided) continue
    const place = `${step.partition}/${step.queue}/${step.number}`
    const key = `${place}/${step.subscription ?? 'main'}`
    let side = sides.get(key)
    if (side === undefined) sides.set(key, (side = { since: shared.get(place), open: undefined }))
    if (step.event === 'Delivered') {
      side.open = {
        queue: step.queue,
        ...(step.subscription === undefined ? {} : { subscription: step.subscription }),
        attempt: step.attempt,
        delivery: step.delivery ?? 0,
        consumer: step.consumer ?? '',
        waitMs: Math.max(0, step.at - (side.since ?? step.at)),
        at: step.at,
        leaseUntil: step.leaseUntil ?? step.at,
      }
      attempts.push(side.open)
      side.since = undefined
    } else if (side.open !== undefined) {
      if (step.state === 'Inflight') side.open.leaseUntil = step.leaseUntil ?? side.open.leaseUntil
      else {
        side.open.ms = step.at - side.open.at
        side.open.outcome = step.event
        if (step.error !== undefined) side.open.error = step.error
        side.open = undefined
      }
    }
    if (step.state === 'Available') side.since ??= step.at
    else side.since = undefined
    if (!shared.has(place) || side.since !== undefined) shared.set(place, side.since)
  }
  return attempts
}
