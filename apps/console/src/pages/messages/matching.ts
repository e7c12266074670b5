import { send } from '../../data/api.ts'
import { count } from '../../parts/format.ts'
import { stateWords, type StateName } from '../../parts/StateMark.tsx'

/** What is done to all messages that a filter matches. */
export type MatchingAct = 'discard' | 'recall'

/** What became of messages that match; of a dry run, what could. */
export interface Settled {
  readonly matched: number
  readonly done: number
  /** Those that stay, by their state; `changed`: they moved on since they were found. */
  readonly stayed: Readonly<Record<string, number>>
}

interface Piece extends Settled {
  readonly cursor?: string
}

/** Messages that are counted at most: of more it is said that there are more. */
export const countedMax = 100_000

const nothing: Settled = { matched: 0, done: 0, stayed: {} }

/** Both together. */
export const added = (a: Settled, b: Settled): Settled => {
  const stayed: Record<string, number> = { ...a.stayed }
  for (const [reason, n] of Object.entries(b.stayed)) stayed[reason] = (stayed[reason] ?? 0) + n
  return { matched: a.matched + b.matched, done: a.done + b.done, stayed }
}

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
  }: { readonly onPiece: (sum: Settled) => void; readonly goesOn: (sum: Settled) => boolean },
): Promise<{ readonly sum: Settled; readonly isAll: boolean }> => {
  let sum = nothing
  let cursor: string | undefined
  do {
    const piece: Piece = await send<Piece>({
      method: 'POST',
      path: `/v1/matching/${act}`,
      body: { where, ...(dryRun ? { dryRun } : {}), ...(cursor === undefined ? {} : { cursor }) },
      ...(reason === undefined ? {} : { reason }),
    })
    sum = added(sum, piece)
    cursor = piece.cursor
    onPiece(sum)
  } while (cursor !== undefined && goesOn(sum))
  return { sum, isAll: cursor === undefined }
}

const messages = (n: number): string => `${count(n)} ${n === 1 ? 'message' : 'messages'}`

/** What is done, as a word of the past. */
export const doneWords: Readonly<Record<MatchingAct, string>> = { discard: 'discarded', recall: 'recalled' }

/** What matches, and what of it can be done: `312 messages match, 298 can be discarded.` */
export const describeCount = (act: MatchingAct, { matched, done }: Settled, isAll: boolean): string =>
  matched === 0
    ? 'No messages match.'
    : `${isAll ? '' : 'More than '}${messages(matched)} ${matched === 1 ? 'matches' : 'match'}, ${count(done)} can be ${doneWords[act]}.`

/** Why the others stay: `10 stay: in flight`. */
export const describeStayed = (stayed: Settled['stayed']): readonly string[] =>
  Object.entries(stayed).map(
    ([reason, n]) =>
      `${count(n)} ${n === 1 ? 'stays' : 'stay'}: ${reason === 'changed' ? 'changed since found' : (stateWords[reason as StateName] ?? reason).toLowerCase()}`,
  )
