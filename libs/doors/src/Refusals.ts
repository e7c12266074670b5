import { isKirokuError } from '@kiroku/protocol'
import type { MetricFamily } from './MetricFamily.ts'

/** Who was refused, and why. */
export interface Refusal {
  /** Door and address of the caller, as `http 10.0.0.7`. */
  readonly origin: string
  /** `Unauthorized`, `TokenExpired` or `Forbidden`. */
  readonly id: string
  readonly message: string
  /** Refusals of this origin since the last one that was told. */
  readonly count: number
}

/** Refusals of one origin. */
interface Origin {
  /** Guesses that it may still make at once. */
  guesses: number
  atMs: number
  /** Refusals that were not told, and when the last one was. */
  untold: number
  toldMs: number
}

/** Wrong tokens that an origin may present at once, and how long until it may present one more, in ms. */
const guessesMax = 10
const guessMs = 1_000

/** Most guesses that a delay adds up: it grows no further after these. */
const waitsMax = 30

/** Least time between two lines about one origin, in ms. */
const tellMs = 10_000

/** Origins that are remembered. */
const originsMax = 10_000

/** The errors that refuse a caller. */
const refusals: ReadonlySet<string> = new Set(['Unauthorized', 'TokenExpired', 'Forbidden'])

/** Counts refused callers, reports them without flooding the log, and slows down anyone who guesses tokens. */
export class Refusals {
  readonly #tell: (refusal: Refusal) => void
  readonly #origins = new Map<string, Origin>()
  readonly #counts = new Map<string, number>()

  constructor(tell: (refusal: Refusal) => void) {
    this.#tell = tell
  }

  /**
   * Counts an error that refused a caller, and passes over all others.
   *
   * @param nowMs monotonic time in ms
   * @returns how long to hold the answer back, in ms: 0 unless the caller has presented many wrong tokens
   */
  refused(error: unknown, origin: string, nowMs: number): number {
    if (!isKirokuError(error) || !refusals.has(error.id)) return 0
    const { id, message } = error
    this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1)
    const known = this.#originOf(origin, nowMs)
    known.untold++
    if (nowMs - known.toldMs >= tellMs) {
      this.#tell({ origin, id, message, count: known.untold })
      known.untold = 0
      known.toldMs = nowMs
    }
    // Whoever shows a token that was good guesses nothing.
    if (id !== 'Unauthorized') return 0
    known.guesses = Math.min(guessesMax, known.guesses + (nowMs - known.atMs) / guessMs) - 1
    known.guesses = Math.max(known.guesses, -waitsMax)
    known.atMs = nowMs
    return known.guesses >= 0 ? 0 : Math.ceil(-known.guesses * guessMs)
  }

  /** As a metric. */
  family() {
    return {
      type: 'counter',
      name: 'kiroku_http_refused_total',
      help: 'Requests to the HTTP API that were refused for lack of a token or of a role.',
      samples: [...refusals].map((error_type) => ({
        labels: { error_type },
        value: this.#counts.get(error_type) ?? 0,
      })),
    } satisfies MetricFamily
  }

  #originOf(origin: string, nowMs: number): Origin {
    const known = this.#origins.get(origin)
    if (known !== undefined) return known
    // The oldest is dropped. A limit per address does not stop anyone who has this many addresses anyway.
    if (this.#origins.size >= originsMax) this.#origins.delete(this.#origins.keys().next().value!)
    const fresh = { guesses: guessesMax, atMs: nowMs, untold: 0, toldMs: -Infinity }
    this.#origins.set(origin, fresh)
    return fresh
  }
}
