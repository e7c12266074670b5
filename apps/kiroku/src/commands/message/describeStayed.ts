import type { MatchingAct, SettledPiece } from '@kiroku/audit'

const reasons: Readonly<Record<string, string>> = {
  Held: 'half of a transaction',
  Delayed: 'delayed',
  Available: 'available already',
  Inflight: 'in flight',
  WaitingRetry: 'waiting for a retry',
  Committed: 'done',
  DLQ: 'dead-lettered',
  Discarded: 'discarded already',
  changed: 'changed since they were found',
}

/** Why messages are left alone, with counts: `10 are in flight, 4 are done`. */
export const describeStayed = (stayed: SettledPiece['stayed']): string =>
  Object.entries(stayed)
    .map(
      ([reason, n]) =>
        `${n} ${reason === 'changed' ? '' : n === 1 ? 'is ' : 'are '}${reasons[reason] ?? reason}`,
    )
    .join(', ')

/** What can be done to the matching messages: `298 can be recalled, 14 cannot: 14 are in flight`. */
export const describeMatch = (act: MatchingAct, { matched, done, stayed }: SettledPiece): string => {
  const left = matched - done
  const said = `${matched} ${matched === 1 ? 'message matches' : 'messages match'}`
  if (matched === 0) return 'no messages match'
  const can = `${done} can be ${act === 'recall' ? 'recalled' : 'discarded'}`
  return left === 0 ? `${said}: ${can}` : `${said}: ${can}, ${left} cannot: ${describeStayed(stayed)}`
}
