import type * as Clock from 'effect/Clock'
import { scaledClock } from './scaledClock.ts'

/**
 * Sharding pauses a fixed second after every attempt at locks, and a partition that falls to this node
 * meanwhile has no owner for that long. Its clock runs faster, so that it pauses 100 ms; the durations it is
 * given are lengthened to match.
 */
const clockFactor = 10

/** A duration as Sharding has to be told it. */
export const onItsClock = (ms: number) => ms * clockFactor

/** The clock that Sharding goes by. */
export const shardingClock = (clock: Clock.Clock) => scaledClock(clock, clockFactor)
