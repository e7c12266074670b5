/** What a door that listens for HTTP lets its callers take; the unit is in the name. */
export interface HttpLimits {
  /** Open connections. */
  readonly connectionsMax: number
  /** Requests that are being answered, waiting receives and feeds among them: of all connections, and of one. */
  readonly requestsMax: number
  readonly requestsPerConnectionMax: number
  /** Bytes of request bodies that were received and are not answered yet. */
  readonly bytesMax: number
  /** How long a caller may take to send the header of a request, and all of it, in ms. */
  readonly headerMs: number
  readonly requestMs: number
  /** How long a connection may rest between two requests, in ms. */
  readonly idleMs: number
}

/** The defaults of the settings. */
export const httpLimitsDefault: HttpLimits = {
  connectionsMax: 10_000,
  requestsMax: 10_000,
  requestsPerConnectionMax: 32,
  bytesMax: 256 * 1024 * 1024,
  headerMs: 10_000,
  requestMs: 60_000,
  // A load balancer that still used a connection while it is closed here would answer with 502; many let one rest for 60 s.
  idleMs: 75_000,
}
