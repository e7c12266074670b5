/** The engine's only source of time. */
export interface Time {
  /** Monotonic ms; only differences are meaningful. */
  monotonicMs(): number
  /** The machine's clock, ms since 1970. It decides nothing; the store's clock is checked against it. */
  wallMs(): number
  /** Calls `run` after `ms`, or as soon as possible where that has passed; the returned function cancels it. */
  after(ms: number, run: () => void): () => void
}

/** The machine's monotonic clock. */
export const liveTime: Time = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, Math.min(Math.max(0, ms), 0x7fff_ffff))
    return () => clearTimeout(timer)
  },
}
