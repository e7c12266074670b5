import { isKirokuError, KirokuError } from '@kiroku/protocol'

/** An error as it is answered: what nobody foresaw is an `Internal` one. */
export const asKirokuError = (e: unknown): KirokuError =>
  isKirokuError(e)
    ? e
    : new KirokuError('Internal', e instanceof Error ? (e.stack ?? e.message) : String(e), { cause: e })
