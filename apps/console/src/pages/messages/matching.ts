import { addSettled, settledNone, type MatchingAct, type SettledPiece } from '@kiroku/audit/filter'
import { send } from '../../data/api.ts'
import { count } from '../../parts/format.ts'
import { stateWords, type StateName } from '../../parts/StateMark.tsx'

interface Piece extends SettledPiece {
  readonly cursor?: string
}

/** Messages that are counted at most: of more it is said that there are more. */
export const countedMax = 100_000

/**
 * Goes through all that matches, a piece at a time, until `goesOn` says no; `onPiece` is told how far it is. Errors:
 * `ApiError`; what was done until then stays done.
 */
export const settleAll = async (
  act: MatchingAct,
  { where, dryRun, reason }: { readonly where: string; readonly dryRun: boolean; readonly reason?: string },
  {
    onPiece,
    goesOn,
  }: { readonly onPiece: (sum: SettledPiece) => void; readonly goesOn: (sum: SettledPiece) => boolean },
): Promise<{ readonly sum: SettledPiece; readonly isAll: boolean }> => {
  let sum = settledNone
  let cursor: string | undefined
  do {
    const piece: Piece = await send<Piece>({
      method: 'POST',
      path: `/v1/matching/${act}`,
      body: { where, ...(dryRun ? { dryRun } : {}), ...(cursor === undefined ? {} : { cursor }) },
      ...(reason === undefined ? {} : { reason }),
    })
    sum = addSettled(sum, piece)
    cursor = piece.cursor
    onPiece(sum)
  } while (cursor !== undefined && goesOn(sum))
  return { sum, isAll: cursor === undefined }
}

const messages = (n: number): string => `${count(n)} ${n === 1 ? 'message' : 'messages'}`

/** What is done, as a word of the past. */
export const doneWords: Readonly<Record<MatchingAct, string>> = { discard: 'discarded', recall: 'recalled' }

/** What matches, and what of it can be done: `312 messages match, 298 can be discarded.` */
export const describeCount = (act: MatchingAct, { matched, done }: SettledPiece, isAll: boolean): string =>
  matched === 0
    ? 'No messages match.'
    : `${isAll ? '' : 'More than '}${messages(matched)} ${matched === 1 ? 'matches' : 'match'}, ${count(done)} can be ${doneWords[act]}.`

/** Why the others stay: `10 stay: in flight`. */
export const describeStayed = (stayed: SettledPiece['stayed']): readonly string[] =>
  Object.entries(stayed).map(
    ([reason, n]) =>
      `${count(n)} ${n === 1 ? 'stays' : 'stay'}: ${reason === 'changed' ? 'changed since found' : (stateWords[reason as StateName] ?? reason).toLowerCase()}`,
  )
