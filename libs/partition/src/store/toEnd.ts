/** Runs a generator to its end where its yields serve no one. */
export const toEnd = <T>(steps: Generator<undefined, T>): T => {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
