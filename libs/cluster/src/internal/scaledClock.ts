import type * as Clock from 'effect/Clock'
import * as Duration from 'effect/Duration'
import * as Effect from 'effect/Effect'

/** A clock on which `factor` ms pass in each ms of `clock`. */
export const scaledClock = (clock: Clock.Clock, factor: number): Clock.Clock => {
  const wallMs = () => clock.currentTimeMillisUnsafe() * factor
  const wallNanos = () => clock.currentTimeNanosUnsafe() * BigInt(factor)
  const monotonicNanos = () => clock.monotonicTimeNanosUnsafe() * BigInt(factor)
  return {
    currentTimeMillisUnsafe: wallMs,
    currentTimeMillis: Effect.sync(wallMs),
    currentTimeNanosUnsafe: wallNanos,
    currentTimeNanos: Effect.sync(wallNanos),
    monotonicTimeNanosUnsafe: monotonicNanos,
    monotonicTimeNanos: Effect.sync(monotonicNanos),
    sleep: (duration) => clock.sleep(Duration.millis(Duration.toMillis(duration) / factor)),
  }
}
