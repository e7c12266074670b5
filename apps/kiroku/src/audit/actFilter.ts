import { parseSpan, type ActFilter } from '@kiroku/audit'
import { KirokuError } from '@kiroku/protocol'

/** What is asked of the acts, as it was written. */
export interface AskedActs {
  readonly queue?: string | undefined
  readonly actor?: string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** Reads which acts are asked for; `nowMs` is the moment from which durations count back. Errors: `InvalidArgument`. */
export const actFilter = ({ queue, actor, since, until }: AskedActs, nowMs: number): ActFilter => {
  const spanOf = (name: string, text: string) => {
    const span = parseSpan(text, nowMs)
    if (span !== undefined) return span
    throw new KirokuError(
      'InvalidArgument',
      `${name}: "${text}" is neither a time like 2026-11-20T14:00 (UTC) nor a duration like 24h`,
    )
  }
  return {
    ...(queue === undefined ? {} : { queue }),
    ...(actor === undefined ? {} : { actor }),
    ...(since === undefined ? {} : { since: spanOf('since', since).from }),
    ...(until === undefined ? {} : { until: spanOf('until', until).until }),
  }
}
