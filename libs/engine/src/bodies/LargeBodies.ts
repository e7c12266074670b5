import type { BodyRef } from '@kiroku/log'
import type { LargeBodyWrite } from './LargeBodyWrite.ts'

/**
 * Which frames name bodies in records ahead of them. The state names frames only, so that a trim up to the oldest
 * frame that is needed would take those records away.
 */
export class LargeBodies {
  /** A frame and the first of its records, alternating; frames ascend. */
  #frames: number[]
  /** Frames that are needed again, and the record that made them so. */
  #restored: { readonly frame: number; readonly from: number; readonly since: number }[] = []
  /** Writes under way, which a frame will name that does not exist yet. */
  readonly #open = new Set<LargeBodyWrite>()

  /** Begins with what a checkpoint and the frames behind it say. */
  constructor(frames: readonly number[] = []) {
    this.#frames = [...frames]
  }

  open(write: LargeBodyWrite): void {
    this.#open.add(write)
  }

  /** Its frame was decided, or there will be none. */
  close(write: LargeBodyWrite): void {
    this.#open.delete(write)
  }

  /** Notes a frame that was decided or read. */
  frame(seq: number, sections: Iterable<{ readonly bodies: readonly BodyRef[] }>): void {
    let from = Number.POSITIVE_INFINITY
    for (const { bodies } of sections)
      for (const b of bodies) if (!(b instanceof Uint8Array) && b.seq < from) from = b.seq
    if (from < seq) this.#frames.push(seq, from)
  }

  /** Notes older frames, and the first record of each, that a record at `since` made needed again. */
  restored(pairs: readonly number[], since: number): void {
    for (let i = 0; i < pairs.length; i += 2)
      this.#restored.push({ frame: pairs[i]!, from: pairs[i + 1]!, since })
  }

  /** The same as a value, for a checkpoint on `seq`; what is under way counts as named there. */
  list(seq: number): number[] {
    const pairs: [frame: number, from: number][] = this.#restored.map(({ frame, from }) => [frame, from])
    for (let i = 0; i < this.#frames.length; i += 2) pairs.push([this.#frames[i]!, this.#frames[i + 1]!])
    const from = this.#openFrom()
    if (from < seq) pairs.push([seq, from])
    if (this.#restored.length > 0) pairs.sort((a, b) => a[0] - b[0])
    return pairs.flat()
  }

  /** First record that must stay when frames from `frame` on are needed. */
  firstNeeded(frame: number): number {
    let first = Math.min(frame, this.#openFrom())
    for (let i = 0; i < this.#frames.length; i += 2)
      if (this.#frames[i]! >= frame && this.#frames[i + 1]! < first) first = this.#frames[i + 1]!
    for (const restored of this.#restored)
      if (restored.frame >= frame && restored.from < first) first = restored.from
    return first
  }

  /** Forgets frames before `frame`: by a checkpoint on `seq`, nothing in them is needed any more. */
  forget(frame: number, seq: number): void {
    this.#restored = this.#restored.filter((r) => r.frame >= frame || r.since > seq)
    let gone = 0
    while (gone < this.#frames.length && this.#frames[gone]! < frame) gone += 2
    if (gone > 0) this.#frames = this.#frames.slice(gone)
  }

  #openFrom(): number {
    let from = Number.POSITIVE_INFINITY
    for (const write of this.#open) if (write.from !== undefined && write.from < from) from = write.from
    return from
  }
}
