import { restore, snapshot, type PartitionState, type Snapshot } from '@kiroku/partition'

/** The state after some steps. */
interface Keyframe {
  index: number
  readonly snapshot: Snapshot
  readonly bytes: number
}

/** States kept along a replay so that it can go back; the oldest one stays. */
export class Keyframes {
  readonly #bytesMax: number
  #all: Keyframe[] = []
  #bytes = 0

  /** `bytesMax`: about how much they may take before every other one is dropped. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Keeps the state after `index` steps. */
  keep(index: number, state: PartitionState): void {
    this.#put(index, snapshot(state))
  }

  /** Starts with the state from which everything follows. */
  begin(first: Snapshot): void {
    this.#put(0, first)
  }

  /** Number of steps behind the last state kept up to `index`. */
  before(index: number): number {
    return this.#at(index).index
  }

  /** A copy of that state, for the caller to keep. */
  open(index: number): PartitionState {
    return restore(structuredClone(this.#at(index).snapshot))
  }

  /** Drops the states before the one at `index`, which becomes the first. */
  dropBefore(index: number): void {
    this.#all = this.#all.filter((keyframe) => keyframe.index >= index)
    for (const keyframe of this.#all) keyframe.index -= index
    this.#bytes = this.#all.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  #at(index: number): Keyframe {
    return this.#all.findLast((keyframe) => keyframe.index <= index)!
  }

  #put(index: number, kept: Snapshot): void {
    if (this.#all.some((keyframe) => keyframe.index === index)) return
    const bytes = sizeOf(kept)
    this.#all.push({ index, snapshot: kept, bytes })
    this.#all.sort((a, b) => a.index - b.index)
    this.#bytes += bytes
    if (this.#bytes <= this.#bytesMax) return
    this.#all = this.#all.filter((_, i) => i % 2 === 0)
    this.#bytes = this.#all.reduce((sum, { bytes }) => sum + bytes, 0)
  }
}

/** Its typed arrays, and a guess for the rest. */
const sizeOf = ({ live, runs, queues }: Snapshot): number => {
  let bytes = 1_000 * (1 + queues.length)
  for (const column of Object.values(live) as Uint8Array[]) bytes += column.byteLength
  for (const chunk of runs.chunks) bytes += chunk.byteLength
  return bytes
}
