import * as Duration from 'effect/Duration'

/** A span of time as specifications write it: `'10 seconds'`, `'4 days'`. */
export type Span = Exclude<Duration.Input, number>

/** A span in ms. */
export const ms = (span: Span): number => Duration.toMillis(Duration.fromInputUnsafe(span))
