/** A timer that was set. */
export type TimerHandle = unknown

/** Where a client takes time from; a controlled one makes its pauses and heartbeats testable. */
export interface Clock {
  /** Milliseconds; only differences matter. */
  now(): number
  setTimeout(callback: () => void, delayMs: number): TimerHandle
  clearTimeout(handle: TimerHandle): void
}

/** The machine's own time. */
export const realClock: Clock = {
  now: () => performance.now(),
  setTimeout: (callback, delayMs) => setTimeout(callback, delayMs),
  clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout),
}
