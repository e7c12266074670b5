import type { TraceStep } from './TraceStep.ts'

/** How often a message was redriven and became a dead letter again. */
export const redriveCountOf = (steps: readonly TraceStep[]): number => {
  let count = 0
  let isBack = false
  for (const { event, voided } of steps) {
    if (voided) continue
    if (event === 'Redriven') isBack = true
    else if (event === 'DeadLettered' && isBack) {
      count++
      isBack = false
    }
  }
  return count
}

/** A number of times in words. */
export const timesText = (count: number): string =>
  count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`
