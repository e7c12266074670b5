import { KirokuError } from '@kiroku/protocol'
import { parseSpan } from '../filter/parseSpan.ts'
import type { ActFilter } from './Act.ts'

/** Which acts are requested, as written. */
interface ActTexts {
  readonly queue?: string | undefined
  readonly actor?: string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/**
 * Reads which acts are requested; `nowMs` is the time from which durations count back. Errors:
 * `InvalidArgument`.
 */
export const parseActFilter = ({ queue, actor, since, until }: ActTexts, nowMs: number): ActFilter => {
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
