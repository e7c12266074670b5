import { jetStreamCode, toKirokuError } from '@kiroku/nats'
import { KirokuError } from '@kiroku/protocol'
import { Kvm } from '@nats-io/kv'
import {
  headers,
  type Msg,
  type NatsConnection,
  NoRespondersError,
  RequestError,
  TimeoutError,
} from '@nats-io/nats-core'

/** A value of a bucket with the revision it was written at. A deleted key has the value `undefined`. */
export interface KvEntry<A> {
  readonly key: string
  readonly value: A | undefined
  readonly revision: number
  /** When it was written, in ms since 1970; set by `list` only. */
  readonly writtenAt?: number
}

/** JetStream's codes for an expected revision that is not the last. */
const wrongRevisionCodes: ReadonlySet<number | undefined> = new Set([
  jetStreamCode.wrongLastSequence,
  jetStreamCode.wrongLastSequenceConstant,
])

const operationHeader = 'KV-Operation'

/** How long one request may take where nobody says otherwise, in ms. */
const requestMsDefault = 1000

/** How NATS measures durations. */
const nanosPerMs = 1_000_000

/** JetStream removes a consumer that nobody listens to after this time, in ms. */
const abandonedMs = 5000

/** How a bucket is made. */
export interface BucketSettings {
  /** Age in ms at which keys vanish; 0 for never. */
  readonly ttlMs: number
  readonly replicas: number
}

/** An answer of JetStream's API. */
interface ApiAnswer {
  readonly error?: { readonly code: number; readonly err_code?: number; readonly description: string }
}

/** What JetStream says of a bucket's stream. */
interface StreamInfo {
  readonly config: { readonly max_age: number }
  /** Of a stream of several replicas. */
  readonly cluster?: { readonly leader_since?: string }
  /** When it said so, by the leader's clock. */
  readonly ts: string
}

const asKirokuError = (error: unknown, what: string): KirokuError => {
  if (error instanceof KirokuError) return error
  const cause = { cause: error }
  if (error instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders()))
    return new KirokuError('JetStreamDisabled', `No answer for ${what}.`, cause)
  if (error instanceof TimeoutError)
    return new KirokuError('Timeout', `No answer for ${what} in time.`, cause)
  return toKirokuError(error, what)
}

/**
 * JSON values in a NATS KV bucket, for as much of the KV protocol as locks and heartbeats need. Not the KV client
 * itself, because every call here has a time limit of its own, `get` always asks the leader (a direct get may be
 * stale), and `list` is one request instead of a consumer and a request a key.
 */
export class KvBucket<A> {
  readonly #nc: NatsConnection
  readonly #name: string
  readonly #stream: string
  readonly #prefix: string
  readonly #requestMs: number
  /** Undefined: it is not this process's to make. */
  readonly #settings: BucketSettings | undefined

  private constructor(nc: NatsConnection, name: string, requestMs: number, settings?: BucketSettings) {
    this.#nc = nc
    this.#name = name
    this.#stream = `KV_${name}`
    this.#prefix = `$KV.${name}.`
    this.#requestMs = requestMs
    this.#settings = settings
  }

  /**
   * Opens a bucket and creates it where it does not exist, now or whenever it is missing later.
   *
   * @param requestMs how long one request may take
   * @throws KirokuError `NatsUnreachable`, `JetStreamDisabled`, `Timeout`
   */
  static async create<A>(
    nc: NatsConnection,
    name: string,
    settings: BucketSettings,
    requestMs = requestMsDefault,
  ): Promise<KvBucket<A>> {
    const bucket = new KvBucket<A>(nc, name, requestMs, settings)
    await bucket.#make()
    return bucket
  }

  /** Names a bucket without checking that it exists; reading one that does not finds nothing. */
  static open<A>(nc: NatsConnection, name: string): KvBucket<A> {
    return new KvBucket<A>(nc, name, requestMsDefault)
  }

  /**
   * The TTL of the keys in ms, which is that of the bucket's creation; undefined where there is no bucket.
   *
   * @throws KirokuError `NatsUnreachable`, `JetStreamDisabled`, `Timeout`
   */
  static async ttlMs(nc: NatsConnection, name: string): Promise<number | undefined> {
    const info = await new KvBucket(nc, name, requestMsDefault).#info()
    return info === undefined ? undefined : info.config.max_age / nanosPerMs
  }

  /**
   * Changes the TTL of the keys of a bucket that exists.
   *
   * @throws KirokuError `NatsUnreachable`, `JetStreamDisabled`, `Timeout`
   */
  static async setTtlMs(nc: NatsConnection, name: string, ttlMs: number): Promise<void> {
    const bucket = new KvBucket(nc, name, requestMsDefault)
    const age = ttlMs * nanosPerMs
    const changed = { ...(await bucket.#info())?.config, max_age: age, duplicate_window: age }
    const { config, error } = await bucket.#api<{ readonly config: unknown }>('STREAM.UPDATE', changed)
    if (config === undefined) throw bucket.#refused(error)
  }

  /** Undefined where there is no stream. */
  async #info(): Promise<StreamInfo | undefined> {
    const info = await this.#api<StreamInfo>('STREAM.INFO')
    if (info.error?.err_code === jetStreamCode.streamNotFound) return undefined
    if (info.config === undefined) throw this.#refused(info.error)
    return info as StreamInfo
  }

  /** Makes it if it is missing. */
  async #make(): Promise<void> {
    if (this.#settings === undefined) return
    const { ttlMs: ttl, replicas } = this.#settings
    try {
      await new Kvm(this.#nc).create(this.#name, { history: 1, ttl, replicas, allow_direct: true })
    } catch (error) {
      throw asKirokuError(error, `bucket ${this.#name}`)
    }
  }

  /**
   * Lets JetStream push all keys, and then every write, to a subject, and heartbeats while there is none. Makes the bucket
   * first if it is missing.
   *
   * @param heartbeatMs between heartbeats
   * @returns how many keys there are
   * @throws KirokuError `NatsUnreachable`, `JetStreamDisabled`, `Timeout`
   */
  async consume(subject: string, heartbeatMs: number): Promise<number> {
    const create = () =>
      this.#api<{ readonly num_pending?: number }>('CONSUMER.CREATE', {
        stream_name: this.#stream,
        config: {
          deliver_subject: subject,
          deliver_policy: 'last_per_subject',
          filter_subject: `${this.#prefix}>`,
          ack_policy: 'none',
          replay_policy: 'instant',
          idle_heartbeat: Math.round(heartbeatMs * nanosPerMs),
          inactive_threshold: abandonedMs * nanosPerMs,
          mem_storage: true,
          num_replicas: 1,
        },
      })
    let answer = await create()
    if (answer.error?.err_code === jetStreamCode.streamNotFound) {
      await this.#make()
      answer = await create()
    }
    if (answer.num_pending === undefined) throw this.#refused(answer.error)
    return answer.num_pending
  }

  /** An entry as a consumer of the bucket gets it. */
  entryOf(subject: string, data: Uint8Array, revision: number): KvEntry<A> {
    const value = data.length === 0 ? undefined : (JSON.parse(Buffer.from(data).toString()) as A)
    return { key: subject.slice(this.#prefix.length), value, revision }
  }

  /**
   * The last value of a key, from the stream's leader; undefined if the key was never written or has expired.
   *
   * @throws KirokuError `NatsUnreachable`, `Timeout`
   */
  async get(key: string): Promise<KvEntry<A> | undefined> {
    const reply = await this.#api<{ readonly message?: { readonly seq: number; readonly data?: string } }>(
      'STREAM.MSG.GET',
      { last_by_subj: this.#prefix + key },
    )
    // A bucket that is missing says nothing about its keys.
    if (reply.error?.code === 404 && reply.error.err_code !== jetStreamCode.streamNotFound) return undefined
    if (reply.message === undefined) throw this.#refused(reply.error)
    const { seq, data } = reply.message
    const value = data ? (JSON.parse(Buffer.from(data, 'base64').toString()) as A) : undefined
    return { key, value, revision: seq }
  }

  /**
   * How long the bucket has had its leader, in ms; undefined: NATS does not say, as of a bucket of one replica, which elects none.
   *
   * @throws KirokuError `NatsUnreachable`, `Timeout`
   */
  async ledForMs(): Promise<number | undefined> {
    const info = await this.#info()
    if (info?.cluster?.leader_since === undefined) return undefined
    // Both are times of the leader's clock; one that was set back says nothing.
    const ledForMs = Date.parse(info.ts) - Date.parse(info.cluster.leader_since)
    return ledForMs < 0 ? undefined : ledForMs
  }

  /**
   * All keys with their last values. May lag behind a write by a moment.
   *
   * @throws KirokuError `NatsUnreachable`, `Timeout`
   */
  async list(): Promise<ReadonlyArray<KvEntry<A>>> {
    const entries: Array<KvEntry<A>> = []
    try {
      const answers = await this.#nc.requestMany(
        `$JS.API.DIRECT.GET.${this.#stream}`,
        JSON.stringify({ multi_last: [`${this.#prefix}>`] }),
        { strategy: 'timer', maxWait: this.#requestMs },
      )
      for await (const answer of answers) {
        const status = answer.headers?.code ?? 0
        if (status === 204 || status === 404) return entries
        if (status >= 400) throw new Error(`${status} ${answer.headers?.description ?? ''}`)
        const subject = answer.headers?.get('Nats-Subject') ?? ''
        entries.push({
          key: subject.slice(this.#prefix.length),
          value: answer.data.length === 0 ? undefined : answer.json<A>(),
          revision: Number(answer.headers?.get('Nats-Sequence')),
          writtenAt: Date.parse(answer.headers?.get('Nats-Time-Stamp') ?? ''),
        })
      }
    } catch (error) {
      throw asKirokuError(error, this.#stream)
    }
    throw new KirokuError('Timeout', `No answer from ${this.#stream} within ${this.#requestMs} ms.`)
  }

  /** Writes a value unconditionally; returns its revision. */
  async put(key: string, value: A): Promise<number> {
    const revision = await this.#write(key, JSON.stringify(value))
    if (revision === undefined) throw new KirokuError('Internal', 'An unconditional write was refused.')
    return revision
  }

  /**
   * Writes a value if the key is still at `expectedRevision` (0: never written).
   *
   * @returns the new revision, or undefined if the key has changed
   */
  compareAndSet(key: string, value: A, expectedRevision: number): Promise<number | undefined> {
    return this.#write(key, JSON.stringify(value), expectedRevision)
  }

  /**
   * Deletes a key, if `expectedRevision` is given only at that revision. Returns undefined if it has changed.
   */
  delete(key: string, expectedRevision?: number): Promise<number | undefined> {
    return this.#write(key, '', expectedRevision, 'DEL')
  }

  async #write(
    key: string,
    payload: string,
    expectedRevision?: number,
    operation?: 'DEL',
  ): Promise<number | undefined> {
    const h = headers()
    if (expectedRevision !== undefined) h.set('Nats-Expected-Last-Subject-Sequence', String(expectedRevision))
    if (operation !== undefined) h.set(operationHeader, operation)
    const answer = await this.#publish(this.#prefix + key, payload, h)
    const ack = answer.json<{
      readonly seq?: number
      readonly error?: { readonly err_code: number; readonly description: string }
    }>()
    if (wrongRevisionCodes.has(ack.error?.err_code)) return undefined
    if (ack.seq === undefined || ack.error !== undefined)
      throw new KirokuError('NatsUnreachable', `${this.#stream}: ${ack.error?.description ?? 'no answer'}`)
    return ack.seq
  }

  /** A write; a bucket that is missing is made, and then it is tried again. */
  async #publish(subject: string, payload: string, withHeaders: ReturnType<typeof headers>): Promise<Msg> {
    try {
      return await this.#request(subject, payload, withHeaders)
    } catch (error) {
      if (!(error instanceof KirokuError) || error.id !== 'JetStreamDisabled' || this.#settings === undefined)
        throw error
      // One whose stream has no leader at the moment does not answer either, and is not made again.
      if ((await this.#info()) !== undefined) throw error
      await this.#make()
      return this.#request(subject, payload, withHeaders)
    }
  }

  async #api<B>(verb: string, payload: unknown = {}): Promise<Partial<B> & ApiAnswer> {
    const answer = await this.#request(`$JS.API.${verb}.${this.#stream}`, JSON.stringify(payload))
    return answer.json<Partial<B> & ApiAnswer>()
  }

  #refused(error: ApiAnswer['error']): KirokuError {
    return new KirokuError('NatsUnreachable', `${this.#stream}: ${error?.description ?? 'no answer'}`)
  }

  async #request(subject: string, payload: string, withHeaders?: ReturnType<typeof headers>): Promise<Msg> {
    try {
      return await this.#nc.request(subject, payload, {
        timeout: this.#requestMs,
        ...(withHeaders === undefined ? {} : { headers: withHeaders }),
      })
    } catch (error) {
      throw asKirokuError(error, this.#stream)
    }
  }
}
