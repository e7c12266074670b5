/** What to do with the messages that a filter matches. */
export type MatchingAct = 'recall' | 'discard'

/** What became of the matching messages; in a dry run, what would. */
export interface SettledPiece {
  readonly matched: number
  readonly done: number
  /** Messages left alone, by state; `changed`: they changed since the index saw them. */
  readonly stayed: Readonly<Record<string, number>>
}

/** No messages. */
export const settledNone: SettledPiece = { matched: 0, done: 0, stayed: {} }

/** Two pieces as one. */
export const addSettled = (a: SettledPiece, b: SettledPiece): SettledPiece => {
  const stayed: Record<string, number> = { ...a.stayed }
  for (const [reason, n] of Object.entries(b.stayed)) stayed[reason] = (stayed[reason] ?? 0) + n
  return { matched: a.matched + b.matched, done: a.done + b.done, stayed }
}
