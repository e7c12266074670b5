import type { Party } from '../core/Party.ts'

/** Somebody who uses the engine. */
export interface Person {
  /** Its process now; whoever dies may have a successor. */
  readonly party: Party
  run(): Promise<void>
}
