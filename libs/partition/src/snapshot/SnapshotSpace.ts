import type { PartitionState } from '../state/PartitionState.ts'
import { liveColumns, type LiveCopy } from '../store/LiveColumns.ts'
import { touchPages } from '../store/touchPages.ts'

/** What the state may grow by until it is copied. */
const room = 1.125
const sliceBytes = 512 * 1024

/** Memory for the large parts of a snapshot. */
export class SnapshotSpace {
  readonly live: LiveCopy
  readonly runs: readonly Uint32Array[]

  private constructor(live: LiveCopy, runs: readonly Uint32Array[]) {
    this.live = live
    this.runs = runs
  }

  /**
   * Makes memory for a snapshot of the state, a bit between two yields. Systems hand out memory when it is first
   * written to, and slowly: done ahead, the copy itself takes a fraction of the time.
   */
  static *make(state: PartitionState): Generator<undefined, SnapshotSpace> {
    const slots = Math.ceil(state.live.top * room)
    const live: Partial<Record<keyof LiveCopy, LiveCopy[keyof LiveCopy]>> = {}
    for (const name of liveColumns) {
      const Column = state.live[name].constructor as new (slots: number) => LiveCopy[typeof name]
      const column = new Column(slots)
      yield* touchPages(column, sliceBytes)
      live[name] = column
    }
    const runs: Uint32Array[] = []
    for (const { length } of state.runs.chunks) {
      const chunk = new Uint32Array(length)
      yield* touchPages(chunk, sliceBytes)
      runs.push(chunk)
    }
    return new SnapshotSpace(live as LiveCopy, runs)
  }
}
