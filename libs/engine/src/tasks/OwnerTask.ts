import type { Ownership } from '@kiroku/partition'

/**
 * Work that a partition's owner does on its own: it follows the state, acts on what is stored, and has decided what came
 * of it. All calls come from the actor's thread, between turns or at their end; none may throw or take long.
 */
export interface OwnerTask {
  /** An ownership began on a rebuilt state, of which everything up to `storedSeq` is stored: begins, or begins again, with it. */
  begin(own: Ownership, storedSeq: number): void
  /** Everything up to `seq` is stored, and may have effects elsewhere. */
  stored?(seq: number): void
  /** A turn was decided, which is not stored yet and may never be. */
  decided?(): void
  /** The partition is being handed over: no new work. */
  drain?(): void
  /** The state given to `begin` is void: nothing may be decided for it any more. May come twice, and before any `begin`. */
  end(): void
}
