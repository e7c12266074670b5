/** Who did an administrative act, and from where. */
export interface Actor {
  /**
   * Name of the token or user, or of the client that NATS let in by name; `local` on loopback without tokens, `engine` for the
   * engine itself.
   */
  readonly name: string
  /** Door and address, like `cli`, `http 127.0.0.1`, `client`; and whom a client says it acts for, which nothing proves. */
  readonly origin: string
  readonly reason?: string
}
