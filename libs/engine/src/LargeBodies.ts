import type { BodyRef } from '@kiroku/log'
import type { Spill } from './Spills.ts'

/**
 * Which frames name bodies in records ahead of them. The state names frames only, so that a trim up to the oldest
 * frame that is needed would take those records away.
 */
export class LargeBodies {
  /** Frame and the first of its records, by turns; frames ascend. */
  #frames: number[]
  /** What is under way and will be named by a frame that does not exist yet. */
  readonly #open = new Set<Spill>()

  /** Begins with what a checkpoint and the frames behind it say. */
  constructor(frames: readonly number[] = []) {
    this.#frames = [...frames]
  }

  open(spill: Spill): void {
    this.#open.add(spill)
  }

  /** Its frame was decided, or there will be none. */
  close(spill: Spill): void {
    this.#open.delete(spill)
  }

  /** Notes a frame that was decided or read. */
  frame(seq: number, sections: Iterable<{ readonly bodies: readonly BodyRef[] }>): void {
    let from = Number.POSITIVE_INFINITY
    for (const { bodies } of sections)
      for (const b of bodies) if (!(b instanceof Uint8Array) && b.seq < from) from = b.seq
    if (from < seq) this.#frames.push(seq, from)
  }

  /** The same as a value, for a checkpoint on `seq`; what is under way counts as named there. */
  list(seq: number): number[] {
    const from = this.#openFrom()
    return from < seq ? [...this.#frames, seq, from] : [...this.#frames]
  }

  /** First record that must stay when frames from `frame` on are needed. */
  firstNeeded(frame: number): number {
    let first = Math.min(frame, this.#openFrom())
    for (let i = 0; i < this.#frames.length; i += 2)
      if (this.#frames[i]! >= frame && this.#frames[i + 1]! < first) first = this.#frames[i + 1]!
    return first
  }

  /** Forgets frames before `frame`: nothing in them is needed any more. */
  forget(frame: number): void {
    let gone = 0
    while (gone < this.#frames.length && this.#frames[gone]! < frame) gone += 2
    if (gone > 0) this.#frames = this.#frames.slice(gone)
  }

  #openFrom(): number {
    let from = Number.POSITIVE_INFINITY
    for (const spill of this.#open) if (spill.from !== undefined && spill.from < from) from = spill.from
    return from
  }
}
