import type { BodyRef, PartitionLog } from '@kiroku/log'
import { decide, type OldBodies, type PartitionState } from '@kiroku/partition'
import type { Act } from '../actor/Mailbox.ts'
import type { Sizes } from '../append/Sizes.ts'
import type { BodyCache } from '../bodies/BodyCache.ts'
import type { LargeBodyWrite } from '../bodies/LargeBodyWrite.ts'
import type { LargeBodyWriter } from '../bodies/LargeBodyWriter.ts'
import { fetchLetter } from '../bodies/fetchLetter.ts'
import { limits } from '../limits.ts'
import type { MadeCheckpoint } from './makeCheckpoint.ts'

/** What bodies are carried forward with. */
export interface CarryWork {
  readonly log: PartitionLog
  readonly cache: BodyCache
  readonly writer: LargeBodyWriter
  readonly sizes: Sizes
  /** Has `run` decide in a turn that has room for `bytes` of bodies. */
  act(run: Act, bytes?: number): void
  /** Whether the store has room for this many bytes of old bodies before it lets go of any. */
  hasRoomToCarry(bytes: number): boolean
}

/** Bodies that are stored again. */
interface Carried {
  readonly old: OldBodies
  readonly bodies: readonly BodyRef[]
  readonly write: LargeBodyWrite
}

/** A body's place in the table of a frame, and what names it in the fact. */
const placeBytes = 16
/** What the fact needs for a run, and a fact of its own for the letters of a lane. */
const runBytes = 32
const laneBytes = 256

/** Stores what little an old part of the log still holds again at its end, so that the next checkpoint lets that part go. */
export class BodyCarrier {
  readonly #work: CarryWork
  #state: PartitionState | undefined

  constructor(work: CarryWork) {
    this.#work = work
  }

  begin(state: PartitionState): void {
    this.#state = state
  }

  end(): void {
    this.#state = undefined
  }

  /**
   * Carries the oldest bodies of an old part of the log behind the checkpoint on `seq`, unless too much of that part is still
   * needed. Resolves when that is decided, or the ownership ended. Errors: those of reading and writing bodies.
   *
   * @param oldBytes how large the old part is, about
   * @param bytesMax how much is carried at most, or one piece that is larger: the next checkpoint goes on with what is the
   *   oldest then
   */
  async carry(
    { bodies: oldest, bytes: needed }: MadeCheckpoint['old'],
    {
      oldBytes,
      bytesMax,
      seq,
    }: { readonly oldBytes: number; readonly bytesMax: number; readonly seq: number },
  ): Promise<void> {
    const state = this.#state
    if (needed > oldBytes * limits.carryShareMax) return
    let bytes = oldest[0]?.bytes ?? 0
    let count = 1
    while (count < oldest.length && bytes + oldest[count]!.bytes <= bytesMax) bytes += oldest[count++]!.bytes
    const { writer, sizes } = this.#work
    let window: Carried[] = []
    let windowBytes = 0
    for (const o of oldest.slice(0, count)) {
      // The old ones go only behind the checkpoint after this one; sends take room meanwhile.
      if (!this.#work.hasRoomToCarry(bytes)) break
      bytes -= o.bytes
      const indexes = Array.from({ length: o.count }, (_, i) => o.index + i)
      const bodies = await this.#fetch(o, indexes)
      // Records that hold the first of them may have been sent off in an ownership that never stored them.
      if (this.#state !== state) return
      const write = await writer.write(bodies)
      const inlineBytes =
        write.inlineBytes + o.count * placeBytes + (o.target === undefined ? runBytes : laneBytes)
      if (window.length > 0 && windowBytes + inlineBytes > sizes.carryBytesMax) {
        await this.#carryWindow(window, windowBytes, seq)
        window = []
        windowBytes = 0
      }
      window.push({ old: o, bodies: write.messages, write })
      windowBytes += inlineBytes
    }
    if (window.length > 0) await this.#carryWindow(window, windowBytes, seq)
  }

  #fetch({ queue, target, seq }: OldBodies, indexes: readonly number[]): Promise<Uint8Array[]> {
    const { log, cache } = this.#work
    const state = this.#state!
    if (target === undefined)
      return cache.fetch(
        indexes.map(() => seq),
        queue,
        indexes,
      )
    return Promise.all(indexes.map((index) => fetchLetter(log, cache, state, queue, { seq, index })))
  }

  /** Resolves when the window is decided, so that no more than one is in memory. */
  #carryWindow(window: readonly Carried[], bytes: number, seq: number): Promise<void> {
    return new Promise((resolve) => {
      this.#work.act((turn) => {
        decide<BodyRef>(turn, { type: 'CarryBodies', carried: window, seq })
        for (const { write } of window) this.#work.writer.close(write)
        resolve()
      }, bytes)
    })
  }
}
