import { ChurnMap, KirokuError } from '@kiroku/protocol'
import type { HttpLimits } from './HttpLimits.ts'
import type { MetricFamily } from './MetricFamily.ts'

/** A connection, as far as is counted by it. */
export interface Connection {
  readonly once: (event: 'close', listener: () => void) => unknown
}

interface Entered {
  readonly request: object
  /** All of its connection. */
  readonly siblings: Entered[]
  bytes: number
}

/** What callers can have too much of. */
type Limited = 'connections' | 'requests' | 'bytes'

/** Pause that a refused caller is told, in ms. */
const busyMs = 1_000

/** Counts the requests that are being answered, and refuses those beyond the limits before anything is done for them. */
export class InFlight {
  readonly #limits: HttpLimits
  readonly #entered = new ChurnMap<object, Entered>()
  readonly #byConnection = new WeakMap<Connection, Entered[]>()
  readonly #refused = new Map<Limited, number>()
  #bytes = 0

  constructor(limits: HttpLimits) {
    this.#limits = limits
  }

  /** Whether one more request of a connection would be refused now. */
  isFull(connection: Connection): boolean {
    return this.#tooMany(this.#byConnection.get(connection)) !== undefined
  }

  /** Begins a request. Errors: `Busy`. */
  enter(connection: Connection, request: object): void {
    let own = this.#byConnection.get(connection)
    if (own === undefined) {
      const known: Entered[] = (own = [])
      this.#byConnection.set(connection, known)
      // Answers that wait behind another one on the connection are not told that it closed.
      connection.once('close', () => [...known].forEach(({ request: each }) => this.leave(each)))
    }
    const tooMany = this.#tooMany(own)
    if (tooMany !== undefined) throw this.#refuse('requests', tooMany)
    const entered = { request, siblings: own, bytes: 0 }
    own.push(entered)
    this.#entered.set(request, entered)
  }

  /** Counts bytes of a request's body as they arrive. Errors: `Busy`. */
  take(request: object, bytes: number): void {
    const { bytesMax } = this.#limits
    const entered = this.#entered.get(request)
    if (entered === undefined) return
    if (this.#bytes + bytes > bytesMax)
      throw this.#refuse('bytes', `the requests that are being answered have ${bytesMax} bytes, the limit`)
    entered.bytes += bytes
    this.#bytes += bytes
  }

  /** Ends a request: it was answered, or its caller is gone. */
  leave(request: object): void {
    const entered = this.#entered.get(request)
    if (entered === undefined) return
    this.#entered.delete(request)
    const { siblings } = entered
    siblings.splice(siblings.indexOf(entered), 1)
    this.#bytes -= entered.bytes
  }

  /** Counts a connection beyond the limit; it was closed unheard. */
  dropped(): void {
    this.#count('connections')
  }

  /** As metrics. */
  families(): MetricFamily[] {
    const one = (value: number) => [{ labels: {}, value }]
    return [
      {
        type: 'gauge',
        name: 'kiroku_http_requests',
        help: 'Requests to the HTTP API that are being answered, waiting receives and feeds among them.',
        samples: one(this.#entered.size),
      },
      {
        type: 'gauge',
        name: 'kiroku_http_request_bytes',
        help: 'Bytes of the bodies of those requests.',
        samples: one(this.#bytes),
      },
      {
        type: 'counter',
        name: 'kiroku_http_busy_total',
        help: 'Connections and requests that were refused at a limit, by what there was too much of.',
        samples: (['connections', 'requests', 'bytes'] as const).map((limit) => ({
          labels: { limit },
          value: this.#refused.get(limit) ?? 0,
        })),
      },
    ]
  }

  /** What one more request would be too many of; undefined: nothing. */
  #tooMany(own: readonly Entered[] = []): string | undefined {
    const { requestsMax, requestsPerConnectionMax } = this.#limits
    if (own.length >= requestsPerConnectionMax)
      return `${own.length} requests of this connection wait for an answer, the limit`
    if (this.#entered.size >= requestsMax) return `${requestsMax} requests are being answered, the limit`
    return undefined
  }

  #refuse(limit: Limited, message: string): KirokuError {
    this.#count(limit)
    return new KirokuError('Busy', message, { retryAfterMs: busyMs })
  }

  #count(limit: Limited): void {
    this.#refused.set(limit, (this.#refused.get(limit) ?? 0) + 1)
  }
}
