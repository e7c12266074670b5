import { ChurnMap, KirokuError } from '@kiroku/protocol'
import {
  createInbox,
  PermissionViolationError,
  headers as makeHeaders,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  nuid,
  type Status,
  type Subscription,
} from '@nats-io/nats-core'
import { fromApiError, type ApiError } from './jetStreamErrors.ts'
import { publishTimeoutMs } from './limits.ts'

/**
 * Has what was published leave at once. The client would wait until the code that runs now is done, and the server, which could
 * already store it, with it. It has no public name for that; without it what was published leaves a little later.
 */
const flushNow = (nc: NatsConnection): void => {
  const { protocol } = nc as { readonly protocol?: { flushPending?(): void } }
  protocol?.flushPending?.()
}

/** A stream's answer to a publish. */
export interface PublishAnswer {
  readonly seq: number
}

/** A publish on its way. */
interface Waiting {
  readonly deadlineMs: number
  readonly subject: string
  readonly resolve: (answer: PublishAnswer) => void
  readonly reject: (error: KirokuError) => void
}

/**
 * Publishes to streams over one connection, with one reply inbox for all answers; a quarter of the cost of
 * `js.publish`. Publishes without an answer end as `LogAmbiguous`: after the timeout, or at once when the
 * connection breaks. Other errors: `Fenced`, `StorageFull`, `NatsUnreachable` (certainly not sent), `NatsForbidden`,
 * `Internal` (larger than the server takes).
 */
export class Publisher {
  readonly #nc: NatsConnection
  readonly #timeoutMs: number
  readonly #inbox: string
  readonly #subscription: Subscription
  readonly #statuses: AsyncIterable<Status> & { stop?: () => void }
  /** Ordered by deadline, because all have the same timeout. */
  readonly #waiting = new ChurnMap<number, Waiting>()
  #lastId = 0
  #timer: NodeJS.Timeout | undefined
  #connected = true

  constructor(nc: NatsConnection, options: { readonly timeoutMs?: number } = {}) {
    this.#nc = nc
    this.#timeoutMs = options.timeoutMs ?? publishTimeoutMs
    this.#inbox = `${createInbox()}.`
    this.#subscription = nc.subscribe(`${this.#inbox}*`, { callback: (_, msg) => this.#answer(msg) })
    this.#statuses = nc.status()
    void this.#watch()
  }

  /** Publishes one record. */
  publish(subject: string, data: Uint8Array, headers: MsgHdrs): Promise<PublishAnswer> {
    return this.#send(subject, (reply) => {
      this.#nc.publish(subject, data, { headers, reply })
      flushNow(this.#nc)
    })
  }

  /**
   * Publishes `records` as one atomic batch: all are stored, consecutively, or none. Resolves with the last
   * one's sequence. `headers` go with the first.
   */
  publishBatch(subject: string, records: readonly Uint8Array[], headers: MsgHdrs): Promise<PublishAnswer> {
    return this.#send(subject, (reply) => {
      const batch = nuid.next()
      records.forEach((data, index) => {
        const own = index === 0 ? headers : makeHeaders()
        own.set('Nats-Batch-Id', batch)
        own.set('Nats-Batch-Sequence', String(index + 1))
        if (index === records.length - 1) own.set('Nats-Batch-Commit', '1')
        this.#nc.publish(subject, data, { headers: own, reply })
      })
    })
  }

  /** Stops waiting; what is in flight ends as `LogAmbiguous`. The connection stays open. */
  close(): void {
    this.#connected = false
    clearTimeout(this.#timer)
    this.#subscription.unsubscribe()
    this.#statuses.stop?.()
    this.#failAll('the publisher was closed')
  }

  #send(subject: string, publish: (reply: string) => void): Promise<PublishAnswer> {
    return new Promise((resolve, reject) => {
      if (!this.#connected || this.#nc.isClosed()) {
        reject(new KirokuError('NatsUnreachable', `not connected; nothing was sent to ${subject}`))
        return
      }
      const id = ++this.#lastId
      const deadlineMs = performance.now() + this.#timeoutMs
      this.#waiting.set(id, { deadlineMs, subject, resolve, reject })
      this.#timer ??= setTimeout(this.#expire, this.#timeoutMs).unref()
      try {
        publish(this.#inbox + id)
      } catch (cause) {
        this.#waiting.delete(id)
        reject(new KirokuError('Internal', `cannot publish to ${subject}: ${String(cause)}`, { cause }))
      }
    })
  }

  #answer(msg: Msg): void {
    const id = Number(msg.subject.slice(this.#inbox.length))
    const waiting = this.#waiting.get(id)
    if (!waiting) return
    if (msg.data.length === 0) {
      // A batch's first record is confirmed by an empty message; a missing stream is reported by one with a
      // status.
      if (msg.headers?.code !== 503) return
      this.#waiting.delete(id)
      waiting.reject(new KirokuError('NatsUnreachable', `no stream listens on ${waiting.subject}`))
      return
    }
    this.#waiting.delete(id)
    const answer = msg.json<{ seq: number; error?: ApiError }>()
    if (answer.error) waiting.reject(fromApiError(answer.error, `publish to ${waiting.subject}`))
    else waiting.resolve(answer)
  }

  readonly #expire = (): void => {
    this.#timer = undefined
    const now = performance.now()
    for (const [id, waiting] of this.#waiting) {
      if (waiting.deadlineMs > now) {
        this.#timer = setTimeout(this.#expire, waiting.deadlineMs - now).unref()
        return
      }
      this.#waiting.delete(id)
      waiting.reject(
        new KirokuError('LogAmbiguous', `no answer from ${waiting.subject} within ${this.#timeoutMs} ms`),
      )
    }
  }

  async #watch(): Promise<void> {
    for await (const status of this.#statuses) {
      if (status.type === 'reconnect') this.#connected = true
      if (status.type === 'error' && status.error instanceof PermissionViolationError)
        this.#forbid(status.error)
      if (status.type !== 'disconnect') continue
      this.#connected = false
      this.#failAll('the connection was lost before the answer')
    }
    this.#connected = false
    this.#failAll('the connection was closed before the answer')
  }

  /** Nothing that was forbidden is stored. */
  #forbid({ operation, subject, message }: PermissionViolationError): void {
    if (operation !== 'publish') return
    for (const [id, waiting] of this.#waiting) {
      if (waiting.subject !== subject) continue
      this.#waiting.delete(id)
      waiting.reject(new KirokuError('NatsForbidden', message))
    }
  }

  #failAll(why: string): void {
    const all = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { subject, reject } of all)
      reject(new KirokuError('LogAmbiguous', `publish to ${subject}: ${why}`))
  }
}
