import type { Party } from '../core/Party.ts'

/** Somebody who uses the engine. */
export interface Person {
  /** Its current process; after a death it may have a successor. */
  readonly party: Party
  run(): Promise<void>
}
