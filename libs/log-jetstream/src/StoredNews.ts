import { createInbox, type NatsConnection, type Subscription } from '@nats-io/nats-core'
import { newsMs, newsPauseMs } from './limits.ts'
import { newsSubject } from './names.ts'

/** What is told of one partition. */
interface Told {
  readonly subject: string
  readonly reply: string
  /** The last sequence that is stored, and the last that was told. */
  storedSeq: number
  toldSeq: number
  /** Runs until the next news may leave. */
  timer: NodeJS.Timeout | undefined
}

/**
 * Publishes how far a partition's log goes: immediately, then at most every 100 ms, and nothing while the log is at rest. Each
 * message asks for a responder; if there is none, the next one waits a few seconds, so that a lone node sends next to nothing.
 */
export class StoredNews {
  readonly #nc: NatsConnection
  readonly #log: string
  readonly #inbox = createInbox()
  readonly #told: (Told | undefined)[] = []
  #unread: Subscription | undefined

  constructor(nc: NatsConnection, log: string) {
    this.#nc = nc
    this.#log = log
  }

  /** This process stored records of a partition, up to a sequence. */
  stored(partition: number, seq: number): void {
    const told = (this.#told[partition] ??= this.#begin(partition))
    if (seq > told.storedSeq) told.storedSeq = seq
    if (told.timer === undefined) this.#tell(told)
  }

  /** Calls `listener` with news of a partition from other processes and this one. Returns the end of it. */
  listen(partition: number, listener: (lastSeq: number) => void): () => void {
    const subscription = this.#nc.subscribe(newsSubject(this.#log, partition), {
      callback: (error, msg) => {
        const seq = error === null ? Number(msg.string()) : 0
        if (Number.isSafeInteger(seq) && seq > 0) listener(seq)
      },
    })
    return () => {
      if (!this.#nc.isClosed()) subscription.unsubscribe()
    }
  }

  close(): void {
    for (const told of this.#told) clearTimeout(told?.timer)
    if (!this.#nc.isClosed()) this.#unread?.unsubscribe()
  }

  #begin(partition: number): Told {
    this.#unread ??= this.#nc.subscribe(`${this.#inbox}.*`, {
      callback: (error, msg) => {
        if (error !== null || msg.headers?.code !== 503) return
        const told = this.#told[Number(msg.subject.slice(this.#inbox.length + 1))]
        if (told !== undefined) this.#rest(told, newsPauseMs)
      },
    })
    const [subject, reply] = [newsSubject(this.#log, partition), `${this.#inbox}.${partition}`]
    return { subject, reply, storedSeq: 0, toldSeq: 0, timer: undefined }
  }

  #tell(told: Told): void {
    // What was stored is stored, whatever becomes of the connection.
    if (this.#nc.isClosed() || this.#nc.isDraining()) return
    told.toldSeq = told.storedSeq
    this.#nc.publish(told.subject, String(told.storedSeq), { reply: told.reply })
    this.#rest(told, newsMs)
  }

  /** Tells what was stored meanwhile when `ms` have passed. */
  #rest(told: Told, ms: number): void {
    clearTimeout(told.timer)
    told.timer = setTimeout(() => {
      told.timer = undefined
      if (told.storedSeq > told.toldSeq) this.#tell(told)
    }, ms).unref()
  }
}
