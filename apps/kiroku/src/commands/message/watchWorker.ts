const strays = ['uncaughtException', 'unhandledRejection'] as const

/**
 * Watches for what a Worker's module does to the process that runs it: uncaught errors, and its end. The module's handler
 * has no right to either, and its supervisor would take an exit with 0 for work that is done. Returns the function that stops watching.
 *
 * @param fail called with what was done; may be called more than once
 */
export const watchWorker = (fail: (cause: Error) => void): (() => void) => {
  const exit = process.exit
  process.exit = (code) => {
    const error = new Error(`it called process.exit(${code ?? ''})`)
    fail(error)
    // For those who called it the process has ended.
    throw error
  }
  const before = strays.map((event) => [event, process.rawListeners(event as 'uncaughtException')] as const)
  for (const event of strays) {
    process.removeAllListeners(event)
    process.on(event, (cause: unknown) => fail(errorOf(cause)))
  }
  return () => {
    process.exit = exit
    for (const [event, listeners] of before) {
      process.removeAllListeners(event)
      for (const listener of listeners) process.on(event, listener as () => void)
    }
  }
}

const errorOf = (cause: unknown): Error => {
  try {
    const text = cause instanceof Error ? cause.message : String(cause)
    return new Error(`it left an uncaught error: ${text}`, { cause })
  } catch {
    return new Error('it left an error that cannot be read')
  }
}
