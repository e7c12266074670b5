import type { Msg, MsgCallback, NatsConnection, Subscription } from '@nats-io/nats-core'
import { createInbox } from '@nats-io/nats-core'
import { type ClusterTimes, retryMs } from './ClusterLimits.ts'
import type { KvBucket, KvEntry } from './KvBucket.ts'

/** Who is told what a watch hears. */
export interface KvWatcher<A> {
  /**
   * All keys as they are, each time the watch is set up: at first, and after it may have missed something.
   *
   * @param gapMs how long nothing was heard before
   */
  readonly onSnapshot: (entries: ReadonlyMap<string, KvEntry<A>>, gapMs: number) => void
  /** A key was written or deleted, in the order of revisions. Expiry is not told. */
  readonly onEntry: (entry: KvEntry<A>) => void
  /** It could not be set up, and will be tried again. */
  readonly onTrouble: (error: unknown) => void
}

/** One delivery to the watch as its reply subject has it. */
interface Delivery {
  readonly revision: number
  readonly number: number
  readonly pending: number
}

/** Two forms: `$JS.ACK.stream.consumer.…`, and with domain and account before the stream and one word at the end. */
const deliveryOf = (reply: string): Delivery => {
  const words = reply.split('.')
  const first = words.length === 9 ? 5 : 7
  return {
    revision: Number(words[first]),
    number: Number(words[first + 1]),
    pending: Number(words[first + 3]),
  }
}

/**
 * Follows all keys of a bucket by one push consumer. It cannot die silently: NATS sends a heartbeat whenever there is
 * nothing else, each with the number of the last delivery. Where one is missing, or a number is not the next, the watch
 * is set up again and begins with a snapshot. A bucket that is gone is made again first.
 */
export class KvWatch<A> {
  readonly #nc: NatsConnection
  readonly #bucket: KvBucket<A>
  readonly #times: ClusterTimes
  readonly #watcher: KvWatcher<A>
  readonly #silence: NodeJS.Timeout
  #subscription: Subscription | undefined
  #retry: NodeJS.Timeout | undefined
  #isLive = false
  #isClosed = false
  #heardAtMs = performance.now()

  constructor(nc: NatsConnection, bucket: KvBucket<A>, times: ClusterTimes, watcher: KvWatcher<A>) {
    this.#nc = nc
    this.#bucket = bucket
    this.#times = times
    this.#watcher = watcher
    this.#silence = setInterval(() => {
      if (this.#subscription !== undefined && this.#silentMs() > times.watchSilenceMs) this.#begin()
    }, times.beatMs)
    this.#begin()
  }

  /** Whether it had its snapshot and has heard from NATS since, as it should. */
  get isLive(): boolean {
    return this.#isLive && this.#silentMs() <= this.#times.watchSilenceMs
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#silence)
    clearTimeout(this.#retry)
    this.#end()
  }

  #silentMs(): number {
    return performance.now() - this.#heardAtMs
  }

  #end(): void {
    this.#isLive = false
    // The connection may be closed by now.
    if (!this.#nc.isClosed()) this.#subscription?.unsubscribe()
    this.#subscription = undefined
  }

  /** Sets it up; everything that an earlier setting-up still hears is dropped. */
  #begin(): void {
    this.#end()
    if (this.#nc.isClosed()) return
    const heardBeforeMs = this.#heardAtMs
    const snapshot = new Map<string, KvEntry<A>>()
    let delivered = 0
    let isComplete = false
    const complete = (): void => {
      if (isComplete) return
      isComplete = true
      this.#isLive = true
      this.#watcher.onSnapshot(snapshot, performance.now() - heardBeforeMs)
    }
    const inbox = createInbox()
    const callback: MsgCallback<Msg> = (error, msg) => {
      if (error !== null || this.#subscription !== subscription) return
      this.#heardAtMs = performance.now()
      if (msg.reply === undefined || msg.reply === '') {
        const last = msg.headers?.get('Nats-Last-Consumer') ?? ''
        if (last !== '' && Number(last) !== delivered) this.#begin()
        return
      }
      const { revision, number, pending } = deliveryOf(msg.reply)
      if (number !== delivered + 1) return this.#begin()
      delivered = number
      const entry = this.#bucket.entryOf(msg.subject, msg.data, revision)
      if (isComplete) this.#watcher.onEntry(entry)
      else snapshot.set(entry.key, entry)
      if (pending === 0) complete()
    }
    const subscription = this.#nc.subscribe(inbox, { callback })
    this.#subscription = subscription
    this.#bucket.consume(inbox, this.#times.beatMs).then(
      (pending) => {
        if (this.#subscription !== subscription) return
        this.#heardAtMs = performance.now()
        if (pending === 0) complete()
      },
      (error: unknown) => {
        if (this.#subscription !== subscription || this.#isClosed) return
        this.#end()
        this.#watcher.onTrouble(error)
        this.#retry = setTimeout(() => this.#begin(), retryMs)
      },
    )
  }
}
