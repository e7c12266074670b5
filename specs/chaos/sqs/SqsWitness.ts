/** A message of a group, or of no group, by the number that its sender gave it. */
export interface Sent {
  readonly group: string
  readonly number: number
}

const keyOf = ({ group, number }: Sent): string => `${group}/${number}`

/** What senders and receivers at the door saw, and what of it must not be. */
export class SqsWitness {
  readonly #acknowledged = new Set<string>()
  readonly #received = new Set<string>()
  /** When the deletion of a message was acknowledged, by `performance.now()`. */
  readonly #deletedAt = new Map<string, number>()
  /** The last number of each ordered group that was received for the first time. */
  readonly #last = new Map<string, number>()
  readonly violations: string[] = []

  get acknowledged(): number {
    return this.#acknowledged.size
  }

  /** Messages whose sends were acknowledged and whose deletions were not. */
  get pending(): readonly string[] {
    return [...this.#acknowledged].filter((key) => !this.#deletedAt.has(key))
  }

  sent(message: Sent): void {
    this.#acknowledged.add(keyOf(message))
  }

  /**
   * A message arrived.
   * @param askedAt when it was asked for, by `performance.now()`
   * @param isOrdered whether its group has an order
   */
  received(message: Sent, askedAt: number, isOrdered: boolean): void {
    const key = keyOf(message)
    if ((this.#deletedAt.get(key) ?? Infinity) < askedAt)
      this.violations.push(`${key} came back after its deletion`)
    if (this.#received.has(key)) return
    this.#received.add(key)
    if (!isOrdered) return
    const before = this.#last.get(message.group) ?? 0
    if (message.number !== before + 1) this.violations.push(`${key} came after ${message.group}/${before}`)
    this.#last.set(message.group, message.number)
  }

  deleted(message: Sent): void {
    this.#deletedAt.set(keyOf(message), performance.now())
  }

  /** What was acknowledged and never received. */
  get lost(): readonly string[] {
    return [...this.#acknowledged].filter((key) => !this.#received.has(key))
  }
}
