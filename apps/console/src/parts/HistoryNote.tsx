import type { History } from '@kiroku/audit'
import { ApiError } from '../data/api.ts'
import { keepsUpMs } from '../data/useHistory.ts'
import { duration, time } from './format.ts'

/**
 * What a chart does not know, and why; nothing if it knows everything. `until` is the end of what is shown,
 * in ms.
 */
export const HistoryNote = ({
  history,
  until,
  error,
}: {
  readonly history: Pick<History, 'from' | 'now' | 'known'> | undefined
  readonly until: number | undefined
  readonly error: unknown
}) => {
  const text = noteOf(history, until, error)
  return text === undefined ? null : (
    <p className="quiet" role="status">
      {text}
    </p>
  )
}

const noteOf = (
  history: Pick<History, 'from' | 'now' | 'known'> | undefined,
  until: number | undefined,
  error: unknown,
): string | undefined => {
  if (history === undefined) {
    if (!(error instanceof ApiError)) return undefined
    return error.id === 'NoAuditor'
      ? 'No history: the auditor, which reads it from the record, is not running.'
      : `No history: ${error.message}.`
  }
  const { from, now, known } = history
  const behindMs = Math.min(until ?? now, now) - known.to
  if (known.to === 0) return 'The auditor has just started to read the record: the history follows.'
  if (behindMs > keepsUpMs)
    return `Known up to ${time(known.to, now)}: the auditor is ${duration(behindMs)} behind, and still reading.`
  if (known.from > from) return `Known from ${time(known.from, now)} on: earlier records were trimmed.`
  return undefined
}
