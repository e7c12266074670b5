import type { BodyRef } from '@kiroku/log'
import { bodyBytes, bodyOf, metaBytes } from '@kiroku/protocol'
import { sha256 } from '../sha256.ts'

/** Bytes that a reference to a record takes in a frame. */
const refBytes = 16

/** The bodies of one command on their way to the log: each large one gets a record of its own, in order. */
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

  /** @param plain the same as they were before they were encrypted */
  constructor(bodies: readonly Uint8Array[], inlineBytesMax: number, plain = bodies) {
    this.#bodies = bodies
    this.#plain = plain
    this.#inlineBytesMax = inlineBytesMax
    let inline = 0
    for (const b of bodies) inline += b.length <= inlineBytesMax ? b.length : refBytes
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
    const ref = {
      seq,
      bytes: bodyBytes(plain),
      metaBytes: metaBytes(plain),
      digest: () => sha256(bodyOf(plain)),
    }
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
