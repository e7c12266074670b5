import { setImmediate as nextTick } from 'node:timers/promises'
import { limits } from './limits.ts'

/** Runs steps in slices of a few ms, so that others get their turn in between. */
export const inTurns = async <T>(steps: Generator<undefined, T>): Promise<T> => {
  let sliceEnd = performance.now() + limits.sliceMs
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (performance.now() < sliceEnd) continue
    await nextTick()
    sliceEnd = performance.now() + limits.sliceMs
  }
}
