import {
  blockEntry,
  blockMessages,
  entryOf,
  groupEntry,
  keyIds,
  keyIn,
  KeyReader,
  messageKeyName,
  newBlock,
  withKeysFrom,
  withNewKey,
  withoutMessages,
  type KeyEntry,
  type KeyStore,
  type Opened,
} from '@kiroku/log'
import type { Erasure, PartitionState, QueueState, Ownership } from '@kiroku/partition'
import type { Ranges } from '@kiroku/protocol'
import { limits } from '../limits.ts'
import type { OwnerTask } from '../tasks/OwnerTask.ts'
import { EntryUses } from './EntryUses.ts'

/** A key that a message is encrypted with. */
export interface EncryptionKey {
  readonly name: string
  readonly key: Uint8Array
}

/** The keys of one partition's erasable queues, as far as they are needed now. Its owner alone writes them. */
export class KeyRing implements OwnerTask {
  readonly #keys: KeyStore
  readonly #now: () => number
  readonly #isOwner: () => boolean
  #state: PartitionState | undefined
  /** Entries of this partition's queues, without what is to be erased. */
  readonly #entries = new Map<string, KeyEntry>()
  readonly #loading = new Map<string, Promise<void>>()
  /** Keys of groups for erasures that are not decided yet, with their entries, in the order in which these hold them. */
  readonly #undecided = new Map<string, string>()
  /** What is under way with entries: an answer of the store may arrive when all that it tells was erased since. */
  readonly #uses = new EntryUses()
  /** Entries by group; a digest takes longer than a look here. */
  readonly #groups = new Map<string, string>()
  /** Messages of a queue for which there are to be keys ahead. */
  readonly #ahead = new Map<number, number>()
  /** Entries elsewhere whose messages came here, and when they were last written or looked at. */
  readonly #touched = new Map<string, number>()

  /**
   * @param now the time of the store, by which entries vanish, in ms
   * @param isOwner whether the lock on the partition is confirmed, so that no other owner can have erased anything
   */
  constructor(keys: KeyStore, now: () => number, isOwner: () => boolean) {
    this.#keys = keys
    this.#now = now
    this.#isOwner = isOwner
  }

  begin({ state }: Pick<Ownership, 'state'>): void {
    this.end()
    this.#state = state
  }

  end(): void {
    this.#state = undefined
    for (const map of [this.#entries, this.#loading, this.#ahead, this.#touched]) map.clear()
    this.#undecided.clear()
    this.#uses.outdateAll()
  }

  #read(entry: string): Promise<KeyEntry | undefined> {
    return this.#uses.upToDate((entries) => {
      entries.add(entry)
      return this.#keys.get(entry)
    })
  }

  /** Key of the queue's message with this number; undefined: it is not in memory. */
  ofMessage({ id }: QueueState, number: number): EncryptionKey | undefined {
    const name = messageKeyName(this.#partition, id, number)
    const key = this.#at(blockEntry(this.#partition, id, number), name)
    return key && { name, key }
  }

  /** Key that a group of the queue uses now; undefined: it is not in memory. */
  ofGroup({ id }: QueueState, group: string): EncryptionKey | undefined {
    const entry = this.#groupEntry(id, group)
    const held = this.#entries.get(entry)
    if (held === undefined) return undefined
    // Keys behind one that is not decided outlive that erasure: until then nothing is encrypted with them.
    const ids = keyIds(held.value)
    const undecided = ids.findIndex((id) => this.#undecided.has(id))
    const last = ids.at(undecided < 0 ? -1 : undecided - 1)
    if (undecided === 0 || last === undefined) return undefined
    const name = `${entry}.${last}`
    return { name, key: keyIn(name, held.value)! }
  }

  #at(entry: string, name: string): Uint8Array | undefined {
    const held = this.#entries.get(entry)
    return held && keyIn(name, held.value)
  }

  /** Entries that `count` messages from the queue's next number on need and that are not in memory, or are old. */
  missingBlocks(queue: QueueState, count: number): string[] {
    const missing = this.#blocks(queue, queue.nextNumber, count)
    const ahead = this.#ahead.get(queue.id) ?? 0
    if (missing.length > 0) {
      const more = Math.min(Math.max(limits.keysAheadMin, 2 * ahead), limits.keysAheadMax)
      this.#ahead.set(queue.id, more)
      missing.push(...this.#blocks(queue, queue.nextNumber + count, more))
      return [...new Set(missing)]
    }
    // Half of what is ahead is used up: the next is stored while the rest goes.
    if (ahead > 0 && this.#blocks(queue, queue.nextNumber + count, ahead / 2).length > 0)
      this.provide(this.#blocks(queue, queue.nextNumber + count, ahead)).catch(() => {
        // They are asked for again when they are needed.
      })
    return missing
  }

  #blocks({ id }: QueueState, first: number, count: number): string[] {
    const missing: string[] = []
    for (let n = first; n < first + count; n += blockMessages) {
      const entry = blockEntry(this.#partition, id, n)
      if (!this.#isFresh(entry)) missing.push(entry)
    }
    const last = blockEntry(this.#partition, id, first + count - 1)
    if (!this.#isFresh(last) && missing.at(-1) !== last) missing.push(last)
    return missing
  }

  /** Entries of these groups that are not in memory, or are old. */
  missingGroups({ id }: QueueState, groups: Iterable<string>): string[] {
    const missing: string[] = []
    for (const group of new Set(groups)) {
      const entry = this.#groupEntry(id, group)
      if (!this.#isFresh(entry)) missing.push(entry)
    }
    return missing
  }

  #isFresh(entry: string): boolean {
    const held = this.#entries.get(entry)
    return held !== undefined && !this.#isOld(held.timeMs)
  }

  /** Whether an entry must be written again, so that it lasts as long as what is encrypted with it. */
  #isOld(timeMs: number): boolean {
    return this.#now() - timeMs > this.#keys.keptMs / 4
  }

  /** Loads these entries, and makes those that do not exist. Errors: `KeysUnavailable`. */
  async provide(entries: readonly string[]): Promise<void> {
    await Promise.all(
      entries.map((entry) => {
        let loading = this.#loading.get(entry)
        if (loading === undefined) {
          loading = this.#provide(entry).finally(() => {
            if (this.#loading.get(entry) === loading) this.#loading.delete(entry)
          })
          this.#loading.set(entry, loading)
        }
        return loading
      }),
    )
  }

  async #provide(entry: string): Promise<void> {
    const state = this.#state
    const stored = await this.#uses.upToDate((entries) => {
      entries.add(entry)
      return this.#getOrMake(entry)
    })
    this.#hold(state, entry, stored)
  }

  async #getOrMake(entry: string): Promise<KeyEntry> {
    for (;;) {
      if (!this.#entries.has(entry)) {
        const value = entry.startsWith('m.') ? newBlock() : withNewKey(new Uint8Array(0))
        const revision = await this.#keys.put(entry, value, 0)
        if (revision !== undefined) return { value, revision, timeMs: this.#now() }
      }
      const found = await this.#keys.get(entry)
      if (found !== undefined && !this.#isOld(found.timeMs)) return found
      if (found === undefined) this.#entries.delete(entry)
      else {
        // It is as young as can be, whatever the store's clock puts on it.
        const { value } = found
        const revision = await this.#write(entry, value, found)
        if (revision !== undefined) return { value, revision, timeMs: this.#now() }
      }
    }
  }

  /** Writes an entry and leaves nothing of what it was before; undefined: another writer came first. */
  async #write(entry: string, value: Uint8Array, before: KeyEntry): Promise<number | undefined> {
    const revision = await this.#keys.put(entry, value, before.revision)
    if (revision !== undefined) await this.#keys.scrub(entry)
    return revision
  }

  #hold(state: PartitionState | undefined, entry: string, stored: KeyEntry): void {
    if (state === undefined || state !== this.#state) return
    this.#entries.delete(entry)
    this.#entries.set(entry, { ...stored, value: this.#withoutErased(entry, stored.value) })
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= limits.keyEntriesMax) break
      this.#entries.delete(oldest)
    }
  }

  /** The value without the keys that are to be deleted. */
  #withoutErased(entry: string, stored: Uint8Array): Uint8Array {
    let value = stored
    for (const erasure of this.#state?.erasures ?? [])
      if (this.#entriesOf(erasure).has(entry)) value = this.#without(erasure, entry, value)
    return value
  }

  #entriesOf({ queue, numbers, group }: Erasure): Set<string> {
    if (group !== undefined) return new Set([this.#groupEntry(queue, group)])
    return new Set(numbersIn(numbers).map((n) => blockEntry(this.#partition, queue, n)))
  }

  /** The value of one of its entries without the keys that an erasure deletes. */
  #without({ queue, numbers, group, key }: Erasure, entry: string, value: Uint8Array): Uint8Array {
    if (group !== undefined) return withKeysFrom(value, key!)
    return withoutMessages(
      value,
      numbersIn(numbers).filter((n) => blockEntry(this.#partition, queue, n) === entry),
    )
  }

  /** Stores the key that a group uses after its erasure; returns its id. Errors: `KeysUnavailable`. */
  async addGroupKey(queue: number, group: string): Promise<string> {
    const state = this.#state
    const entry = this.#groupEntry(queue, group)
    // Until the erasure is decided the group keeps its key.
    await this.provide([entry])
    for (;;) {
      const found = await this.#keys.get(entry)
      const value = withNewKey(found?.value ?? new Uint8Array(0))
      const id = keyIds(value).at(-1)!
      this.#undecided.set(id, entry)
      let isStored = false
      try {
        const revision = await this.#keys.put(entry, value, found?.revision ?? 0)
        if (revision === undefined) continue
        this.#uses.changed(entry)
        // Before the store's answer was here, a later erasure of the group may have deleted this key too.
        const stored = await this.#read(entry)
        if (stored === undefined || !keyIds(stored.value).includes(id)) continue
        this.#hold(state, entry, stored)
        isStored = true
        return id
      } finally {
        if (!isStored) this.#undecided.delete(id)
      }
    }
  }

  /**
   * Whether a group may use this key after an erasure that is decided now. False: one with a later key was decided
   * before, and what was encrypted with that since would stay readable.
   */
  claim(key: string): boolean {
    const entry = this.#undecided.get(key)
    if (entry === undefined) return false
    for (const [earlier, at] of this.#undecided) {
      if (earlier === key) break
      if (at === entry) this.#undecided.delete(earlier)
    }
    return true
  }

  /** An erasure was decided, or refused: nothing is encrypted or decrypted with the keys that it erases any more. */
  erasureDecided(key: string | undefined): void {
    if (key !== undefined) this.#undecided.delete(key)
    for (const erasure of this.#state?.erasures ?? [])
      for (const entry of this.#entriesOf(erasure)) {
        this.#uses.changed(entry)
        const held = this.#entries.get(entry)
        if (held !== undefined)
          this.#entries.set(entry, { ...held, value: this.#without(erasure, entry, held.value) })
      }
  }

  /** Deletes the keys of an erasure from the store. Doing so again is harmless. Errors: `KeysUnavailable`. */
  async erase(erasure: Erasure): Promise<void> {
    for (const entry of this.#entriesOf(erasure)) {
      await this.#eraseIn(entry, erasure)
      this.#uses.changed(entry)
    }
  }

  async #eraseIn(entry: string, erasure: Erasure): Promise<void> {
    for (;;) {
      const found = await this.#keys.get(entry)
      if (found === undefined) return
      const left = this.#without(erasure, entry, found.value)
      if (Buffer.compare(left, found.value) === 0) return this.#keys.scrub(entry)
      if ((await this.#write(entry, left, found)) !== undefined) return
    }
  }

  /** Entries that encrypted messages from elsewhere need, and that were not checked here for long. */
  missingElsewhere(names: Iterable<string>): string[] {
    const missing = new Set<string>()
    for (const name of names) {
      const entry = entryOf(name)
      const at = entry === undefined ? undefined : this.#touched.get(entry)
      if (entry !== undefined && (at === undefined || this.#isOld(at))) missing.add(entry)
    }
    return [...missing]
  }

  /** Writes entries again that messages from elsewhere need, so that they last as long. Errors: `KeysUnavailable`. */
  async touch(entries: readonly string[]): Promise<void> {
    await Promise.all(
      entries.map(async (entry) => {
        let found: KeyEntry | undefined
        do found = await this.#keys.get(entry)
        while (
          found !== undefined &&
          this.#isOld(found.timeMs) &&
          (await this.#write(entry, found.value, found)) === undefined
        )
        if (this.#touched.size >= limits.keyEntriesMax) this.#touched.clear()
        this.#touched.set(entry, this.#now())
      }),
    )
  }

  /**
   * Decrypts messages that may be encrypted. Keys of other partitions are looked up each time, and those of this one while
   * its lock is not confirmed: they may be gone. Keys may be erased while others are looked up: then all is decrypted
   * again. Errors: `KeysUnavailable`.
   */
  open(messages: readonly Uint8Array[]): Promise<Opened[]> {
    return this.#uses.upToDate((entries) => {
      const reader = new KeyReader({
        get: (entry) => {
          entries.add(entry)
          return this.#find(entry)
        },
      })
      return Promise.all(messages.map((message) => reader.open(message)))
    })
  }

  async #find(entry: string): Promise<KeyEntry | undefined> {
    const isOwn = entry.split('.')[1] === String(this.#partition)
    const held = isOwn && this.#isOwner() ? this.#entries.get(entry) : undefined
    if (held !== undefined) return held
    const state = this.#state
    const found = await this.#read(entry)
    if (!isOwn || found === undefined) return found
    this.#hold(state, entry, found)
    return { ...found, value: this.#withoutErased(entry, found.value) }
  }

  #groupEntry(queue: number, group: string): string {
    const known = this.#groups.get(`${queue}/${group}`)
    if (known !== undefined) return known
    const entry = groupEntry(this.#partition, queue, group)
    if (this.#groups.size >= limits.keyEntriesMax) this.#groups.clear()
    this.#groups.set(`${queue}/${group}`, entry)
    return entry
  }

  get #partition(): number {
    return this.#state?.partition ?? -1
  }
}

const numbersIn = (ranges: Ranges = []): number[] => {
  const numbers: number[] = []
  for (let i = 0; i < ranges.length; i += 2)
    for (let n = ranges[i]!, end = n + ranges[i + 1]!; n < end; n++) numbers.push(n)
  return numbers
}
