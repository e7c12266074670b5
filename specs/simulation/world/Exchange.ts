import type { Command, Reply } from '@kiroku/protocol'
import type { Party } from '../core/Party.ts'

/** One request and its outcome, as only the simulation sees it. */
export interface Exchange {
  readonly id: number
  readonly from: Party
  readonly partition: number
  readonly commands: readonly Command[]
  readonly sentMs: number
  /** Who took it. */
  node?: string
  arrivedMs?: number
  /** What left the node. */
  reply?: Reply
}
