/** What the checker knows of one message. Everything from `committed` on is final. */
export const fate = {
  absent: 0,
  ready: 1,
  inflight: 2,
  committed: 3,
  deadLettered: 4,
  discarded: 5,
} as const

/** Code of a fate. */
export type Fate = (typeof fate)[keyof typeof fate]

/** The fates and labels of one queue's messages, by number. */
export class Ledger {
  readonly partition: number
  readonly queue: number
  #fates = new Uint8Array(1024)
  #labels = new Int32Array(1024)
  #end = 1

  constructor(partition: number, queue: number) {
    this.partition = partition
    this.queue = queue
  }

  fateOf(number: number): Fate {
    return (this.#fates[number] ?? fate.absent) as Fate
  }

  isFinal(number: number): boolean {
    return this.fateOf(number) >= fate.committed
  }

  labelOf(number: number): number | undefined {
    return this.fateOf(number) === fate.absent ? undefined : this.#labels[number]
  }

  add(number: number, label: number): void {
    while (number >= this.#fates.length) this.#grow()
    this.#fates[number] = fate.ready
    this.#labels[number] = label
    this.#end = Math.max(this.#end, number + 1)
  }

  set(number: number, to: Fate): void {
    this.#fates[number] = to
  }

  /** Numbers of the messages that are not final. */
  live(): number[] {
    const numbers: number[] = []
    for (let n = 1; n < this.#end; n++)
      if (this.#fates[n] === fate.ready || this.#fates[n] === fate.inflight) numbers.push(n)
    return numbers
  }

  #grow(): void {
    const fates = new Uint8Array(this.#fates.length * 2)
    const labels = new Int32Array(this.#labels.length * 2)
    fates.set(this.#fates)
    labels.set(this.#labels)
    this.#fates = fates
    this.#labels = labels
  }
}
