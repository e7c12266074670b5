import type { KvBucket, KvEntry } from './KvBucket.ts'
import { aheadKey, partitionOfAheadKey, type PartitionLock } from './PartitionLock.ts'

/** Notes beside the locks in which a node says that it has loaded a partition that is being handed over to it. */
export class AheadNotes {
  readonly #bucket: KvBucket<PartitionLock>
  readonly #address: string
  /** The last note of each partition: who wrote it, and its revision in the bucket. */
  readonly #notes = new Map<number, { readonly by: string; readonly revision: number }>()

  /** @param address of this node */
  constructor(bucket: KvBucket<PartitionLock>, address: string) {
    this.#bucket = bucket
    this.#address = address
  }

  /** What the watch says of all keys. */
  snapshot(entries: ReadonlyMap<string, KvEntry<PartitionLock>>): void {
    this.#notes.clear()
    for (const entry of entries.values()) this.heard(entry)
  }

  /** What the watch says of one key. */
  heard({ key, value, revision }: KvEntry<PartitionLock>): void {
    const partition = partitionOfAheadKey(key)
    if (partition !== undefined && value !== undefined)
      this.#notes.set(partition, { by: value.owner, revision })
  }

  /** Says that this node has loaded a partition. Errors: those of the bucket. */
  async write(partition: number): Promise<void> {
    await this.#bucket.put(aheadKey(partition), { owner: this.#address })
  }

  /** Whether a node said so behind a revision of the bucket. */
  isThere(partition: number, by: string, behind: number): boolean {
    const note = this.#notes.get(partition)
    return note?.by === by && note.revision > behind
  }
}
