/** Called when something is aborted. */
export interface AbortListener {
  handleEvent(): void
}

/** What this library uses of an `AbortSignal`. One weighs 1.5 KB as soon as somebody listens: whoever has thousands may bring something lighter. */
export interface AbortSignalLike {
  readonly aborted: boolean
  /** Why, once it is aborted: what was asked for is rejected with it. */
  readonly reason: unknown
  addEventListener(type: 'abort', listener: AbortListener): void
  removeEventListener(type: 'abort', listener: AbortListener): void
}
