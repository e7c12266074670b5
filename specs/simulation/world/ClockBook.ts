/** How far clocks of the world are off, and were. */
export class ClockBook {
  /** By name: since when, in ms of virtual time, and how far, in ms. */
  readonly #notes = new Map<string, { readonly fromMs: number; readonly offMs: number }[]>()

  /** Notes how far a clock is off from now on. */
  note(name: string, fromMs: number, offMs: number): void {
    const notes = this.#notes.get(name) ?? []
    this.#notes.set(name, notes)
    notes.push({ fromMs, offMs })
  }

  /** Every way in which a clock was off at some time since `sinceMs`. */
  since(name: string, sinceMs: number): number[] {
    const notes = this.#notes.get(name) ?? []
    return notes.filter((_, i) => (notes[i + 1]?.fromMs ?? Infinity) >= sinceMs).map(({ offMs }) => offMs)
  }

  /** Whether two clocks were within `ms` of each other at some time since then, each read when it may have been. */
  agreed(one: string, other: string, sinceMs: number, ms: number): boolean {
    const others = this.since(other, sinceMs)
    return this.since(one, sinceMs).some((a) => others.some((b) => Math.abs(a - b) <= ms))
  }
}
