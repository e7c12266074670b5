import type { Ranges } from '@kiroku/protocol'

/** What the checker knows of one message for one subscription. Everything from `committed` on is final. */
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

/** The label of a body that cannot be read from the record alone; other labels begin at 1. */
export const unreadable = -1

/** The messages of one queue: their labels and groups, and their fates for each subscription. */
export class Ledger {
  readonly partition: number
  readonly queue: number
  /** Whether the messages of a group come one after another. */
  isOrdered = false
  #labels = new Int32Array(1024)
  readonly #groups = new Map<number, string>()
  readonly #fates = new Map<number, Fates>([[0, new Fates()]])
  /** The latest send of each group, and whether its owner had to have those before it. */
  readonly #latest = new Map<string, { readonly label: number; readonly isJudged: boolean }>()
  #end = 1

  constructor(partition: number, queue: number) {
    this.partition = partition
    this.queue = queue
  }

  /** Adds a generation of a subscription, which gets what enters from now on. */
  open(sub: number): void {
    this.#fates.set(sub, new Fates())
  }

  /** A generation; undefined when there is none. */
  of(sub: number): Fates | undefined {
    return this.#fates.get(sub)
  }

  has(number: number): boolean {
    return number < this.#end && number > 0 && this.#labels[number] !== 0
  }

  labelOf(number: number): number | undefined {
    return this.has(number) ? this.#labels[number] : undefined
  }

  groupOf(number: number): string | undefined {
    return this.#groups.get(number)
  }

  /** Enters a message for every generation except those in `except`; for those it is discarded at once. */
  add(number: number, label: number, group: string | undefined, isFor: (sub: number) => boolean): void {
    while (number >= this.#labels.length) this.#labels = doubled(this.#labels, Int32Array)
    this.#labels[number] = label
    if (group !== undefined) this.#groups.set(number, group)
    this.#end = Math.max(this.#end, number + 1)
    for (const [sub, fates] of this.#fates) {
      fates.set(number, isFor(sub) ? fate.ready : fate.discarded)
      if (this.isOrdered && group !== undefined && isFor(sub)) fates.line(group).add(number)
    }
  }

  /**
   * Notes a send to a group; labels rise in the order in which their client sent them. Returns the later send that an
   * owner stored before it although it had to keep the order.
   */
  overtakes(label: number, group: string | undefined, isJudged: boolean): number | undefined {
    if (!this.isOrdered || group === undefined || label === unreadable) return undefined
    const latest = this.#latest.get(group)
    if (latest === undefined || label > latest.label) {
      this.#latest.set(group, { label, isJudged })
      return undefined
    }
    return latest.isJudged ? latest.label : undefined
  }

  /** Messages that are not final, with the generation for which they are not. */
  *live(): Iterable<{ readonly sub: number; readonly number: number }> {
    for (const [sub, fates] of this.#fates)
      for (let number = 1; number < this.#end; number++)
        if (fates.of(number) === fate.ready || fates.of(number) === fate.inflight) yield { sub, number }
  }

  /**
   * The first message of an ordered queue that a delivery must not have given out: one behind an earlier message of its
   * group that is neither final nor in the same delivery, or one whose group is still in flight.
   */
  outOfOrder(sub: number, numbers: Ranges): number | undefined {
    const fates = this.#fates.get(sub)
    if (!this.isOrdered || fates === undefined) return undefined
    const byGroup = new Map<string, number[]>()
    for (const number of each(numbers)) {
      const group = this.#groups.get(number)
      if (group === undefined) continue
      const given = byGroup.get(group)
      if (given === undefined) byGroup.set(group, [number])
      else given.push(number)
    }
    for (const [group, given] of byGroup) {
      let i = 0
      for (const waiting of fates.line(group)) {
        if (fates.of(waiting) === fate.inflight) return given[0]
        if (i >= given.length) continue
        if (given[i] !== waiting) return given[i]
        i++
      }
    }
    return undefined
  }
}

/** The fates of a queue's messages for one subscription. */
export class Fates {
  #fates = new Uint8Array(1024)
  /** Of an ordered queue: the messages of each group that are not final, in their order. */
  readonly #lines = new Map<string, Set<number>>()

  of(number: number): Fate {
    return (this.#fates[number] ?? fate.absent) as Fate
  }

  isFinal(number: number): boolean {
    return this.of(number) >= fate.committed
  }

  set(number: number, to: Fate): void {
    while (number >= this.#fates.length) this.#fates = doubled(this.#fates, Uint8Array)
    this.#fates[number] = to
  }

  line(group: string): Set<number> {
    let line = this.#lines.get(group)
    if (line === undefined) this.#lines.set(group, (line = new Set()))
    return line
  }
}

/** The numbers in ranges. */
export function* each(ranges: Ranges): Iterable<number> {
  for (let i = 0; i < ranges.length; i += 2)
    for (let n = ranges[i]!, end = n + ranges[i + 1]!; n < end; n++) yield n
}

const doubled = <A extends Int32Array | Uint8Array>(array: A, Kind: new (length: number) => A): A => {
  const larger = new Kind(array.length * 2)
  larger.set(array)
  return larger
}
