/** What is done to the messages that a filter matches. */
export type MatchingAct = 'recall' | 'discard'

/** What became of messages that match; in a dry run, what could. */
export interface SettledPiece {
  readonly matched: number
  readonly done: number
  /** Those left alone, by their state; `changed`: they moved on since the index saw them. */
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
