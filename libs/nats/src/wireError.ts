import { isKirokuError, type WireError } from '@kiroku/protocol'

/** What was thrown while a request was answered, as its client gets it; what is no `KirokuError` goes to `onDefect`. */
export const wireError = (thrown: unknown, onDefect: ((error: unknown) => void) | undefined): WireError => {
  if (isKirokuError(thrown)) return thrown as WireError
  onDefect?.(thrown)
  return { id: 'Internal', message: 'The engine failed on this request' }
}
