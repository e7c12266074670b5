import type { ReplayFrame, ReplayListener } from '@kiroku/audit'

/** A head that rests is anchored no more often than this, in ms. */
const restMs = 60_000

/** A head of a chain. */
interface Head {
  readonly seq: number
  /** In hex digits. */
  readonly hash: string
}

/** Anchors one partition while its record is followed: at intervals of records, and when its log has nothing more. */
export class Anchoring implements ReplayListener {
  readonly #write: (head: Head) => boolean
  readonly #every: number
  /** The last frame that was read. */
  #head: ReplayFrame | undefined
  #anchoredSeq = 0
  #triedMs = -Infinity

  /**
   * @param write writes an anchor, unless there is one of a later record; false: it could not
   * @param every records between two anchors
   */
  constructor(write: (head: Head) => boolean, every: number) {
    this.#write = write
    this.#every = every
  }

  frame(frame: ReplayFrame): void {
    this.#head = frame
    if (frame.seq >= this.#anchoredSeq + this.#every) this.#anchor(frame)
  }

  /** The log has nothing more for now. */
  rest(): void {
    if (
      this.#head !== undefined &&
      this.#head.seq > this.#anchoredSeq &&
      performance.now() >= this.#triedMs + restMs
    )
      this.#anchor(this.#head)
  }

  #anchor({ seq, record }: ReplayFrame): void {
    this.#triedMs = performance.now()
    if (this.#write({ seq, hash: Buffer.from(record.hash).toString('hex') })) this.#anchoredSeq = seq
  }
}
