/** One entry of keys as it is stored now. */
export interface KeyEntry {
  readonly value: Uint8Array
  /** Revision of the entry; a write that replaces it must name it. */
  readonly revision: number
  /** When it was written by the store's clock, in ms since 1970. */
  readonly timeMs: number
}

/**
 * Where the keys of erasable queues are kept, apart from the log: removing a key makes the messages in the
 * log unreadable that it encrypts. Errors of every call: `KeysUnavailable`.
 */
export interface KeyStore {
  /** An entry that is not written again for this long expires, in ms. */
  readonly keptMs: number
  /** Read from the leader: a call that begins after an erasure never sees the erased value. */
  get(name: string): Promise<KeyEntry | undefined>
  /**
   * Writes an entry that is still at `revision` (0: missing) and resolves with the new revision; undefined:
   * it has changed.
   */
  put(name: string, value: Uint8Array, revision: number): Promise<number | undefined>
  /** Removes every earlier value of the entry from the store, overwriting it there. Idempotent. */
  scrub(name: string): Promise<void>
}

/** The longest retention that a queue can have: a record that is kept for less ends no live message. */
const retentionMsMax = 14 * 86_400_000

/**
 * How long a log that keeps its record for `recordMs` keeps its keys. A key that a message is stored or
 * forwarded with has at least half of that left, which is longer than any retention and than the record.
 */
export const keysKeptMs = (recordMs: number): number =>
  2 * Math.max(recordMs, retentionMsMax) + 2 * 86_400_000
