import { KirokuError } from '@kiroku/protocol'
import type { StoreRoom } from './Log.ts'

/** What one partition takes of a store, in bytes. */
interface Occupant {
  readonly used: number
}

/** The room that all partitions of a memory log and their checkpoints share. */
export class MemorySpace {
  readonly #stores: ReadonlyMap<number, Occupant>
  /** Limit in bytes; 0: none. */
  bytesMax: number
  constructor(stores: ReadonlyMap<number, Occupant>, bytesMax: number) {
    this.#stores = stores
    this.bytesMax = bytesMax
  }
  get room(): StoreRoom | undefined {
    if (this.bytesMax === 0) return undefined
    return { freeBytes: Math.max(0, this.bytesMax - this.used), bytesMax: this.bytesMax }
  }
  /** Errors: `StorageFull`. */
  mustHold(bytes: number): void {
    if (!this.holds(bytes)) throw new KirokuError('StorageFull', `the store may hold ${this.bytesMax} bytes`)
  }
  /** Whether there is room for this many more bytes. */
  holds(bytes: number): boolean {
    return this.bytesMax === 0 || this.used + bytes <= this.bytesMax
  }
  /** Bytes of everything stored. */
  get used(): number {
    let used = 0
    for (const store of this.#stores.values()) used += store.used
    return used
  }
}
