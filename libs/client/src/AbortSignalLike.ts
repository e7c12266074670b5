/** Called when something is aborted. */
export interface AbortListener {
  handleEvent(): void
}

/**
 * The part of an `AbortSignal` that this library uses. A real one takes 1.5 KB once it has a listener, so a caller with thousands
 * of receives can pass something smaller.
 */
export interface AbortSignalLike {
  readonly aborted: boolean
  /** What the receive is rejected with, once aborted. */
  readonly reason: unknown
  addEventListener(type: 'abort', listener: AbortListener): void
  removeEventListener(type: 'abort', listener: AbortListener): void
}
