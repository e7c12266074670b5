import type { Snapshot } from '@kiroku/partition'
import type { SavedState, SavedStateNote, SavedStateStore } from '../replay/SavedState.ts'
import { thinSavedStates } from '../replay/thinSavedStates.ts'

/** Moments in memory, for tests and for passes that are not kept. */
export class MemorySavedStates implements SavedStateStore {
  readonly #bytesMax: number
  readonly #moments = new Map<number, Map<number, SavedState>>()

  /** `bytesMax`: limit for the moments of all partitions together. */
  constructor(bytesMax = Infinity) {
    this.#bytesMax = bytesMax
  }

  list(partition: number): Promise<readonly SavedStateNote[]> {
    return Promise.resolve(this.#notes(partition))
  }

  get(partition: number, seq: number): Promise<SavedState | undefined> {
    const found = this.#moments.get(partition)?.get(seq)
    // Restoring a state consumes the snapshot.
    return Promise.resolve(found && { ...found, snapshot: structuredClone(found.snapshot) })
  }

  put(moment: SavedState): Promise<void> {
    let own = this.#moments.get(moment.partition)
    if (own === undefined) this.#moments.set(moment.partition, (own = new Map<number, SavedState>()))
    own.set(moment.seq, moment)
    const all = [...this.#moments.keys()].map((partition) => ({ partition, notes: this.#notes(partition) }))
    for (const { partition, seq } of thinSavedStates(all, this.#bytesMax))
      this.#moments.get(partition)?.delete(seq)
    return Promise.resolve()
  }

  delete(partition: number, seq: number): Promise<void> {
    this.#moments.get(partition)?.delete(seq)
    return Promise.resolve()
  }

  #notes(partition: number): SavedStateNote[] {
    return [...(this.#moments.get(partition)?.values() ?? [])]
      .map(({ seq, work, snapshot }) => ({ seq, work, bytes: sizeOf(snapshot) }))
      .sort((a, b) => a.seq - b.seq)
  }
}

/** Its typed arrays, and a guess for the rest. */
const sizeOf = ({ live, runs, queues }: Snapshot): number => {
  let bytes = 1_000 * (1 + queues.length)
  for (const column of Object.values(live) as Uint8Array[]) bytes += column.byteLength
  for (const chunk of runs.chunks) bytes += chunk.byteLength
  return bytes
}
