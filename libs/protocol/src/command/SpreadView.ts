/** What clients are told of a spread queue: where else to receive, and where to send. */
export interface SpreadView {
  readonly version: number
  readonly parts: readonly { readonly partition: number; readonly isOpen: boolean }[]
}
