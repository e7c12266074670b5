import type { Ranges } from '@kiroku/protocol'

/** Goes through the numbers that ranges name, some at a time. */
export class RangeCursor {
  readonly #ranges: Ranges
  #at = 0
  /** Numbers of the present range that are behind. */
  #offset = 0
  #left = 0

  constructor(ranges: Ranges) {
    this.#ranges = ranges
    for (let i = 1; i < ranges.length; i += 2) this.#left += ranges[i]!
  }

  /** Numbers that are ahead. */
  get left(): number {
    return this.#left
  }

  /** The next `max` numbers. */
  peek(max: number): Ranges {
    const next: Ranges = []
    let offset = this.#offset
    for (let i = this.#at, room = max; i < this.#ranges.length && room > 0; i += 2, offset = 0) {
      const count = Math.min(room, this.#ranges[i + 1]! - offset)
      next.push(this.#ranges[i]! + offset, count)
      room -= count
    }
    return next
  }

  /** Leaves every number up to `n` behind. */
  passUpTo(n: number): void {
    const ranges = this.#ranges
    while (this.#at < ranges.length) {
      const first = ranges[this.#at]!
      const count = ranges[this.#at + 1]!
      const behind = Math.min(count, Math.max(this.#offset, n - first + 1))
      this.#left -= behind - this.#offset
      this.#offset = behind
      if (behind < count) return
      this.#at += 2
      this.#offset = 0
    }
  }
}
