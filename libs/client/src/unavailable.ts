import { KirokuError } from '@kiroku/protocol'

/** The error of a send without an answer. */
export const unavailable = (queue: string, why: string, mayBeStored: boolean): KirokuError =>
  new KirokuError(
    'Unavailable',
    `No answer for a send to "${queue}": ${why}; ${mayBeStored ? 'it may still be stored' : 'it was not stored'}`,
  )
