import type { KeyStore } from './KeyStore.ts'
import { entryOf, keyIn } from './keyNames.ts'
import { isSealed, readSealed, unlock, type SealedHead } from './Sealed.ts'

/** A message that can be read. */
export interface OpenMessage {
  readonly state: 'open'
  readonly message: Uint8Array
  /** Absent: it was not sealed. */
  readonly head?: SealedHead
}

/** A message as it can be read now. */
export type Opened =
  | OpenMessage
  /** erased: one of its keys was removed from its entry. lost: the entry is missing, or holds another key. */
  | { readonly state: 'erased' | 'lost'; readonly head: SealedHead }

/** Opens sealed messages with the stored keys. It caches what it read: create one per batch of reads. */
export class KeyReader {
  readonly #keys: Pick<KeyStore, 'get'>
  readonly #entries = new Map<string, Promise<Uint8Array | undefined>>()

  constructor(keys: Pick<KeyStore, 'get'>) {
    this.#keys = keys
  }

  /** Opens a message; one that is not sealed is returned as is. Errors: `KeysUnavailable`, `LogDamaged`. */
  async open(bytes: Uint8Array): Promise<Opened> {
    if (!isSealed(bytes)) return { state: 'open', message: bytes }
    const { head, box } = readSealed(bytes)
    let message = box
    for (const name of head.keys) {
      const key = await this.key(name)
      if (!(key instanceof Uint8Array)) return { state: key, head }
      const inside = unlock(message, name, key)
      if (inside === undefined) return { state: 'lost', head }
      message = inside
    }
    return { state: 'open', message, head }
  }

  /** The key of this name, or what became of it. Errors: `KeysUnavailable`. */
  async key(name: string): Promise<Uint8Array | 'erased' | 'lost'> {
    const entry = entryOf(name)
    if (entry === undefined) return 'lost'
    let found = this.#entries.get(entry)
    if (found === undefined) {
      found = this.#keys.get(entry).then((e) => e?.value)
      this.#entries.set(entry, found)
      found.catch(() => this.#entries.delete(entry))
    }
    const value = await found
    return value === undefined ? 'lost' : (keyIn(name, value) ?? 'erased')
  }
}
