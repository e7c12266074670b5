/** One entry of keys as it is stored now. */
export interface KeyEntry {
  readonly value: Uint8Array
  /** Which writing of the entry this is; what is to replace it names it. */
  readonly revision: number
  /** When it was written by the store's clock, in ms since 1970. */
  readonly timeMs: number
}

/**
 * Where the keys of erasable queues are kept, apart from the log: what is taken out of it makes what stands in the
 * log unreadable. Errors of every call: `KeysUnavailable`.
 */
export interface KeyStore {
  /** An entry that is not written again for so long vanishes by itself, in ms. */
  readonly keptMs: number
  /** Asked of the leader: what was erased is never seen again by a call that begins later. */
  get(name: string): Promise<KeyEntry | undefined>
  /** Writes an entry that is still at `revision` (0: not there) and resolves with the new revision; undefined: it is not. */
  put(name: string, value: Uint8Array, revision: number): Promise<number | undefined>
  /** Removes from the store, and overwrites there, every earlier value of the entry. Doing so again is harmless. */
  scrub(name: string): Promise<void>
}

/** The longest retention that a queue can have: a record that is kept for less ends no live message. */
const retentionMsMax = 14 * 86_400_000

/**
 * How long keys are kept of a log that keeps its record for `recordMs`. Half of it, which is left at least to a key that
 * a message is stored or forwarded with, lasts longer than any retention and than the record.
 */
export const keysKeptMs = (recordMs: number): number =>
  2 * Math.max(recordMs, retentionMsMax) + 2 * 86_400_000
