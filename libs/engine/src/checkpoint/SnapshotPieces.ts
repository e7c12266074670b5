import { type Snapshot } from '@kiroku/partition'
import { putTogether, takeApart } from './snapshotLists.ts'

/** Objects that are copied to or from another thread at once; of queues, that takes a few ms. */
const pieceItems = 1_000

/** A part of a list on its way between threads. */
export interface Piece {
  readonly list: number
  readonly items: readonly unknown[]
}

/** A snapshot on its way between threads: first what is transferred whole, then its lists in pieces. */
interface SnapshotPieces {
  readonly rest: Snapshot
  readonly lists: number
  /** Memory that moves with `rest`. */
  readonly moved: ArrayBuffer[]
  readonly pieces: Generator<{ readonly piece: Piece; readonly moved: ArrayBuffer[] }, void>
}

/** Takes a snapshot apart for another thread, to which its memory is transferred. */
export const piecesOf = (snapshot: Snapshot): SnapshotPieces => {
  const { rest, lists } = takeApart(snapshot)
  const { live, runs, producers } = rest
  const { lastAt, highest, counts, sends } = producers
  const columns = buffersOf([...runs.chunks, lastAt, highest, counts, sends])
  // Memory that was allocated ahead for them may be larger than they are; it is theirs all the same.
  const liveColumns = (Object.values(live) as ArrayBufferView<ArrayBuffer>[]).map(({ buffer }) => buffer)
  return { rest, lists: lists.length, moved: [...liveColumns, ...columns], pieces: piecesIn(lists) }
}

/** Puts a snapshot together from its pieces. */
export class PieceCollector {
  readonly #rest: Snapshot
  readonly #lists: unknown[][]

  constructor(rest: Snapshot, lists: number) {
    this.#rest = rest
    this.#lists = Array.from({ length: lists }, () => [])
  }

  add({ list, items }: Piece): void {
    const whole = this.#lists[list]!
    for (const item of items) whole.push(item)
  }

  get snapshot(): Snapshot {
    return putTogether({ rest: this.#rest, lists: this.#lists })
  }
}

function* piecesIn(
  lists: readonly (readonly unknown[])[],
): Generator<{ readonly piece: Piece; readonly moved: ArrayBuffer[] }, void> {
  for (const [list, all] of lists.entries())
    for (let from = 0; from < all.length; from += pieceItems) {
      const items = all.slice(from, from + pieceItems)
      yield { piece: { list, items }, moved: dedupBuffers(items) }
    }
}

/** The dedup keys of queues, if these are queues. */
const dedupBuffers = (items: readonly unknown[]): ArrayBuffer[] => {
  const moved: ArrayBuffer[] = []
  for (const item of items) {
    if (typeof item !== 'object' || item === null || !('dedup' in item)) continue
    moved.push(...buffersOf(Object.values(item.dedup as object) as ArrayBufferView[]))
  }
  return moved
}

/** Memory that belongs to one column; what shares it with others is copied. */
export const buffersOf = (columns: readonly ArrayBufferView[]): ArrayBuffer[] =>
  columns
    .filter(({ byteLength, buffer }) => byteLength === buffer.byteLength)
    .map(({ buffer }) => buffer as ArrayBuffer)
