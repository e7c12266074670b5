/** The longest time without an acknowledged send, per partition, since `begin`. */
export class Pauses {
  readonly #partitions: number
  #lastMs: number[] = []
  #longestMs = 0
  #served = new Set<number>()

  constructor(partitions: number) {
    this.#partitions = partitions
    this.begin(0)
  }

  /** Forgets what was. */
  begin(nowMs: number): void {
    this.#lastMs = Array.from({ length: this.#partitions }, () => nowMs)
    this.#longestMs = 0
    this.expectAll()
  }

  /** From now on `allServed` asks for a send of every partition again. */
  expectAll(): void {
    this.#served = new Set()
  }

  /** Notes that a send to a partition was acknowledged. */
  acknowledged(partition: number, nowMs: number): void {
    this.#longestMs = Math.max(this.#longestMs, nowMs - this.#lastMs[partition]!)
    this.#lastMs[partition] = nowMs
    this.#served.add(partition)
  }

  get allServed(): boolean {
    return this.#served.size === this.#partitions
  }

  /** The longest pause of any partition so far, in ms; the one that lasts counts too. */
  longestMs(nowMs: number): number {
    return Math.max(this.#longestMs, ...this.#lastMs.map((lastMs) => nowMs - lastMs))
  }
}
