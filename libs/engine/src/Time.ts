import * as Clock from 'effect/Clock'
import * as Effect from 'effect/Effect'
import * as Fiber from 'effect/Fiber'

/** The engine's only source of time. */
export interface Time {
  /** Monotonic ms; only differences mean something. */
  monotonicMs(): number
  /** The machine's clock, ms since 1970. It decides nothing: the store's clock is held against it. */
  wallMs(): number
  /** Calls `run` after `ms`; the returned function takes it back. */
  after(ms: number, run: () => void): () => void
}

/** The machine's monotonic clock. */
export const liveTime: Time = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, Math.min(ms, 0x7fff_ffff))
    return () => clearTimeout(timer)
  },
}

/** Time by an Effect clock, which a test may control. */
export const timeOf = (clock: Clock.Clock): Time => ({
  monotonicMs: () => clock.currentTimeMillisUnsafe(),
  wallMs: () => clock.currentTimeMillisUnsafe(),
  after: (ms, run) => {
    const fiber = Effect.runFork(
      Effect.sleep(ms).pipe(Effect.andThen(Effect.sync(run)), Effect.provideService(Clock.Clock, clock)),
    )
    return () => {
      Effect.runFork(Fiber.interrupt(fiber))
    }
  },
})
