import type { ErrorId } from './ErrorId.ts'
import { errorRegistry } from './errorRegistry.ts'

/** The form in which an error crosses a wire. */
export interface WireError {
  readonly id: ErrorId
  readonly message: string
  /** Pause before trying again, in ms, where the engine suggests one. */
  readonly retryAfterMs?: number
}

/** The one error class of the project. `id` is stable, `help` says what to do. */
export class KirokuError extends Error {
  override readonly name = 'KirokuError'
  readonly id: ErrorId
  /** What to do now. A property of its own, so that a printed error shows it. */
  readonly help: string
  declare readonly retryAfterMs?: number
  constructor(
    id: ErrorId,
    message: string,
    options?: { cause?: unknown; retryAfterMs?: number | undefined },
  ) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause })
    this.id = id
    this.help = errorRegistry[id].help
    if (options?.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs
  }
  get retryable(): boolean {
    return errorRegistry[this.id].retryable
  }
  /**
   * The form for a wire.
   * @internal
   */
  toWire(): WireError {
    const wire = { id: this.id, message: this.message }
    return this.retryAfterMs === undefined ? wire : { ...wire, retryAfterMs: this.retryAfterMs }
  }
}

/** Whether `e` is one of ours. */
export const isKirokuError = (e: unknown): e is KirokuError => e instanceof KirokuError

/** Rebuilds an error that crossed a wire; an id unknown to this version becomes `Internal`. */
export const errorFromWire = (wire: WireError): KirokuError =>
  new KirokuError(Object.hasOwn(errorRegistry, wire.id) ? wire.id : 'Internal', wire.message, {
    retryAfterMs: wire.retryAfterMs,
  })
