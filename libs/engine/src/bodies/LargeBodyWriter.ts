import type { BodyRef } from '@kiroku/log'
import { type SizedRef } from '@kiroku/partition'
import { bodyBytes, bodyOf } from '@kiroku/protocol'
import { sha256 } from '../sha256.ts'

/** A command's bodies on their way: each large one gets a record of its own, in order. */
export class LargeBodyWrite {
  /** The bodies so far: those that stay in the frame as they are, and references to the records of the others. */
  readonly messages: BodyRef[] = []
  /** Bytes that stay in the frame. */
  readonly inlineBytes: number
  /** The first of its records, once that was sent off. */
  from: number | undefined
  readonly #bodies: readonly Uint8Array[]
  readonly #plain: readonly Uint8Array[]
  readonly #inlineBytesMax: number

  /** @param plain the same as they were before they were sealed */
  constructor(bodies: readonly Uint8Array[], inlineBytesMax: number, plain = bodies) {
    this.#bodies = bodies
    this.#plain = plain
    this.#inlineBytesMax = inlineBytesMax
    let inline = 0
    for (const b of bodies) inline += b.length <= inlineBytesMax ? b.length : 16
    this.inlineBytes = inline
    this.#passOver()
  }

  get isDone(): boolean {
    return this.messages.length === this.#bodies.length
  }

  /** Sends the next large body off; there is one until `isDone`. */
  step(append: (body: Uint8Array) => number): void {
    const body = this.#bodies[this.messages.length]!
    const seq = append(body)
    this.from ??= seq
    const plain = this.#plain[this.messages.length]!
    const ref: SizedRef & BodyRef = { seq, bytes: bodyBytes(plain), digest: () => sha256(bodyOf(plain)) }
    this.messages.push(ref)
    this.#passOver()
  }

  #passOver(): void {
    while (!this.isDone) {
      const body = this.#bodies[this.messages.length]!
      if (body.length > this.#inlineBytesMax) return
      this.messages.push(body)
    }
  }
}

/** The spills of one ownership, one after the other, so that none waits for ever and few are under way. */
export class LargeBodyWriter {
  #waiting: { readonly spill: LargeBodyWrite; readonly done: () => void; readonly dropped: () => void }[] = []

  /** Whether a body waits for its record. */
  get areWaiting(): boolean {
    return this.#waiting.length > 0
  }

  /** `done` is called when all its records were sent off, `dropped` when that will not happen any more. */
  add(spill: LargeBodyWrite, done: () => void, dropped: () => void): void {
    this.#waiting.push({ spill, done, dropped })
  }

  /** Sends one body off. */
  step(append: (body: Uint8Array) => number): void {
    const first = this.#waiting[0]
    if (first === undefined) return
    first.spill.step(append)
    if (!first.spill.isDone) return
    this.#waiting.shift()
    first.done()
  }

  /** The ownership is over. */
  clear(): void {
    for (const { dropped } of this.#waiting.splice(0)) dropped()
  }
}
