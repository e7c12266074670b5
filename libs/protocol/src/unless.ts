/** The outcome, unless the signal comes first. */
export const unless = <T>(signal: AbortSignal, outcome: T | PromiseLike<T>): T | Promise<T> => {
  if (!isThenable(outcome)) return outcome
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort)
    const over = (): void => signal.removeEventListener('abort', abort)
    outcome.then(
      (value) => (over(), resolve(value)),
      (thrown: unknown) => (over(), reject(thrown as Error)),
    )
  })
}

const isThenable = <T>(value: T | PromiseLike<T>): value is PromiseLike<T> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
