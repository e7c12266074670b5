import { limits } from '../limits.ts'

/** A partition's share of it. */
interface Share {
  /** When the entry that would go first was put; undefined: there is none that may go. */
  readonly oldest: number | undefined
  /** Lets that entry go, and returns its bytes. */
  dropOldest(): number
}

/** What the partitions of a node keep of bodies: together up to a limit, so that a busy one has the room of those that are idle. */
export class BodyMemory {
  readonly #bytesMax: number
  readonly #shares = new Set<Share>()
  #bytes = 0
  #puts = 0

  /** @param bytesMax what all shares keep together */
  constructor(bytesMax: number = limits.bodyCacheBytesMax) {
    this.#bytesMax = bytesMax
  }

  get bytes(): number {
    return this.#bytes
  }

  join(share: Share): void {
    this.#shares.add(share)
  }

  /** @param bytes that the share still has */
  leave(share: Share, bytes: number): void {
    if (this.#shares.delete(share)) this.#bytes -= bytes
  }

  /** Counts what was put or, negative, taken away. Returns the number of this put: those of all shares are in order. */
  count(bytes: number): number {
    this.#bytes += bytes
    return ++this.#puts
  }

  /** Has those that were put first go, whosever they are, until what is left fits. */
  fit(): void {
    while (this.#bytes > this.#bytesMax) {
      let first: Share | undefined
      let oldest = Infinity
      for (const share of this.#shares) {
        const { oldest: put = Infinity } = share
        if (put >= oldest) continue
        oldest = put
        first = share
      }
      if (first === undefined) return
      this.#bytes -= first.dropOldest()
    }
  }
}
