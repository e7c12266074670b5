import { KirokuError } from '@kiroku/protocol'

/** What is wrong with a chain, and where. */
export class ChainError extends KirokuError {
  /** The first sequence that cannot be trusted. */
  readonly seq: number
  constructor(
    id: 'LogDamaged' | 'LogShortened' | 'FutureVersion',
    partition: number,
    seq: number,
    what: string,
    options?: { cause?: unknown },
  ) {
    super(id, `partition ${partition}, sequence ${seq}: ${what}`, options)
    this.seq = seq
  }
}
