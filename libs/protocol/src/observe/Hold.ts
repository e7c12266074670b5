/** A pause in the deliveries of a subscription, because a consumer was told to wait. Times are ms of partition time. */
export interface Hold {
  readonly since: number
  readonly until: number
  /** Why, as the consumer says; empty: it did not. */
  readonly error: string
}

/** Of two holds the one that ends last. */
export const laterHold = (a: Hold | undefined, b: Hold | undefined): Hold | undefined =>
  (b?.until ?? 0) > (a?.until ?? 0) ? b : a
