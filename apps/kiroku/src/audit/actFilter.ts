import { parseSpan, type ActFilter } from '@kiroku/audit'
import { KirokuError } from '@kiroku/message'

/** What is asked of the acts, as it was written. */
export interface AskedActs {
  readonly queue?: string | undefined
  readonly actor?: string | undefined
  readonly since?: string | undefined
}

/** Reads which acts are asked for; `nowMs` is the moment from which durations count back. Errors: `InvalidArgument`. */
export const actFilter = ({ queue, actor, since }: AskedActs, nowMs: number): ActFilter => {
  const span = since === undefined ? undefined : parseSpan(since, nowMs)
  if (since !== undefined && span === undefined)
    throw new KirokuError(
      'InvalidArgument',
      `since: "${since}" is neither a time like 2026-11-20T14:00 (UTC) nor a duration like 24h`,
    )
  return {
    ...(queue === undefined ? {} : { queue }),
    ...(actor === undefined ? {} : { actor }),
    ...(span === undefined ? {} : { since: span.from }),
  }
}
