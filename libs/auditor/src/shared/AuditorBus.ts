/** How the nodes and commands of a log reach the node that runs its auditor, whichever it is. */
export interface AuditorBus {
  /** Asks the node that answers; undefined: none does. Errors: `Timeout`, `NatsUnreachable`, `Stopped` when `signal` is aborted. */
  readonly ask: (
    question: Uint8Array,
    timeoutMs: number,
    signal?: AbortSignal,
  ) => Promise<Uint8Array | undefined>
  /** Answers what others ask; of several nodes that do, one gets each question. Returns the function that stops it. */
  readonly answer: (answer: (question: Uint8Array) => Promise<Uint8Array>) => () => void
  /** Tells all nodes. */
  readonly tell: (news: string) => void
  /** Hears what nodes tell, this one included. Returns the function that stops it. */
  readonly hear: (listener: (news: string) => void) => () => void
}
