import { setImmediate as nextTick } from 'node:timers/promises'
import { limits } from '../limits.ts'

/** Runs steps in slices of a few ms, and yields the thread before the first and in between. */
export const inTurns = async <T>(steps: Generator<undefined, T>): Promise<T> => {
  let sliceEnd = 0
  for (;;) {
    if (performance.now() >= sliceEnd) {
      await nextTick()
      sliceEnd = performance.now() + limits.sliceMs
    }
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
