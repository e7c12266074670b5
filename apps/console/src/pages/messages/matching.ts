import { addSettled, settledNone, type MatchingAct, type SettledPiece } from '@kiroku/audit/filter'
import { send } from '../../data/api.ts'
import { count } from '../../parts/format.ts'
import { stateWords, type StateName } from '../../parts/StateMark.tsx'

interface Piece extends SettledPiece {
  readonly cursor?: string
}

/** Most messages counted; beyond that it says that there are more. */
export const countedMax = 100_000

/**
 * Goes through all matches, a batch at a time, until `goesOn` returns false; `onPiece` gets the progress.
 * Errors: `ApiError`; what was done until then stays done.
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

/** The past participle of the act. */
export const doneWords: Readonly<Record<MatchingAct, string>> = { discard: 'discarded', recall: 'recalled' }

/** What matches, and how much of it can be settled: `312 messages match, 298 can be discarded.` */
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
