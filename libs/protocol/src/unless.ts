/** What is to end with each signal. One listener serves all: Node 20 takes more than ten for a leak, and warns. */
const waiting = new WeakMap<AbortSignal, Set<() => void>>()

/** The outcome, unless the signal comes first. */
export const unless = <T>(signal: AbortSignal, outcome: T | PromiseLike<T>): T | Promise<T> => {
  if (!isThenable(outcome)) return outcome
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error)
    const others = waitingFor(signal)
    if (signal.aborted) abort()
    else others.add(abort)
    const over = (): void => void others.delete(abort)
    outcome.then(
      (value) => (over(), resolve(value)),
      (thrown: unknown) => (over(), reject(thrown as Error)),
    )
  })
}

const waitingFor = (signal: AbortSignal): Set<() => void> => {
  let all = waiting.get(signal)
  if (all === undefined) {
    const aborts = (all = new Set<() => void>())
    waiting.set(signal, aborts)
    signal.addEventListener('abort', () => aborts.forEach((abort) => abort()), { once: true })
  }
  return all
}

const isThenable = <T>(value: T | PromiseLike<T>): value is PromiseLike<T> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
