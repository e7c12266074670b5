import type { Granted } from './Granted.ts'

/**
 * Refuses a dead-letter queue that the caller could not create: a setting that names one creates it where there is none.
 * Errors: `Forbidden`.
 */
export const requireDeadLetter = (
  granted: Granted,
  settings: { readonly deadLetter?: unknown } | undefined,
): void => {
  const name = settings?.deadLetter
  if (typeof name === 'string') granted.require('admin', name)
}
