/** The outcome, unless the signal comes first. */
export const unless = async <T>(signal: AbortSignal, outcome: T): Promise<Awaited<T>> => {
  if (!isThenable(outcome)) return outcome as Awaited<T>
  let abort: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort)
  })
  try {
    return await Promise.race([outcome, aborted])
  } finally {
    signal.removeEventListener('abort', abort!)
  }
}

const isThenable = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
