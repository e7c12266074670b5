/** Who did an administrative act, and from where. */
export interface Actor {
  /** Name of the token or user; `local` on loopback without tokens, `engine` for the engine itself. */
  readonly name: string
  /** Door and address, like `cli`, `http 127.0.0.1`, `client`. */
  readonly origin: string
  readonly reason?: string
}
