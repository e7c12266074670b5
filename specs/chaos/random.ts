/** A source of chance that a seed repeats. */
export interface Random {
  /** 0 (inclusive) to 1. */
  next(): number
  /** A whole number from 0 to `below - 1`. */
  int(below: number): number
}

/** Makes a source of chance (mulberry32). */
export const seeded = (seed: number): Random => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  return { next, int: (below) => Math.floor(next() * below) }
}
