/** Runs to the end what yields for the sake of others, where there is nobody else. */
export const toEnd = <T>(steps: Generator<undefined, T>): T => {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
