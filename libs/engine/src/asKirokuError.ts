import { isKirokuError, KirokuError } from '@kiroku/protocol'

/** An error as it is answered: an unexpected one is `Internal`. */
export const asKirokuError = (e: unknown): KirokuError =>
  isKirokuError(e)
    ? e
    : new KirokuError('Internal', e instanceof Error ? (e.stack ?? e.message) : String(e), { cause: e })
