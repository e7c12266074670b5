import type { Trace } from '@kiroku/audit'
import { KirokuError } from '@kiroku/protocol'
import type { Granted } from './Granted.ts'

/** Answers for a message in queues that the caller may not know of as for one that does not exist. Errors: `UnknownMessage`. */
export const refuseUnseen = (granted: Granted, { queues }: Pick<Trace, 'queues'>, id: string): void => {
  if (granted.isRestricted && !queues.some(granted.sees)) throw unknownMessage(id)
}

/** As a trace says it. */
export const unknownMessage = (id: string): KirokuError =>
  new KirokuError('UnknownMessage', `the record holds nothing about message ${id}`)
