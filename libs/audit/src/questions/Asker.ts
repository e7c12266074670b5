/** Who asks about the record. */
export interface Asker {
  /** Whose share of the answers it is: the name of a token, or a program. */
  readonly principal: string
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal
}
