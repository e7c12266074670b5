import { jetStreamCode, toKirokuError } from '@kiroku/nats'
import { KirokuError } from '@kiroku/protocol'
import { Kvm } from '@nats-io/kv'
import { headers, type Msg, type NatsConnection, NoRespondersError, TimeoutError } from '@nats-io/nats-core'
import { requestTimeoutMs } from './ClusterLimits.ts'

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

const asKirokuError = (error: unknown, what: string): KirokuError => {
  if (error instanceof KirokuError) return error
  const cause = { cause: error }
  if (error instanceof NoRespondersError)
    return new KirokuError('JetStreamDisabled', `No answer for ${what}.`, cause)
  if (error instanceof TimeoutError)
    return new KirokuError('Timeout', `No answer for ${what} within ${requestTimeoutMs} ms.`, cause)
  return toKirokuError(error, what)
}

/**
 * JSON values in a NATS KV bucket, for as much of the KV protocol as locks and heartbeats need. Not the KV client
 * itself, because every call here has a time limit of its own, `get` always asks the leader (a direct get may be
 * stale), and `list` is one request instead of a consumer and a request a key.
 */
export class KvBucket<A> {
  readonly #nc: NatsConnection
  readonly #stream: string
  readonly #prefix: string

  private constructor(nc: NatsConnection, name: string) {
    this.#nc = nc
    this.#stream = `KV_${name}`
    this.#prefix = `$KV.${name}.`
  }

  /**
   * Opens a bucket and creates it where it does not exist.
   *
   * @param options.ttlMs age in ms at which keys vanish; 0 for never
   * @returns the bucket and the TTL it really has, which is that of its creation
   * @throws KirokuError `NatsUnreachable`, `JetStreamDisabled`, `Timeout`
   */
  static async create<A>(
    nc: NatsConnection,
    name: string,
    options: { readonly ttlMs: number; readonly replicas: number },
  ): Promise<{ readonly bucket: KvBucket<A>; readonly ttlMs: number }> {
    try {
      const kv = await new Kvm(nc).create(name, {
        history: 1,
        ttl: options.ttlMs,
        replicas: options.replicas,
        allow_direct: true,
      })
      const { ttl } = await kv.status()
      return { bucket: new KvBucket<A>(nc, name), ttlMs: ttl }
    } catch (error) {
      throw asKirokuError(error, `bucket ${name}`)
    }
  }

  /** Names a bucket without checking that it exists; reading one that does not finds nothing. */
  static open<A>(nc: NatsConnection, name: string): KvBucket<A> {
    return new KvBucket<A>(nc, name)
  }

  /**
   * The last value of a key, from the stream's leader; undefined if the key was never written or has expired.
   *
   * @throws KirokuError `NatsUnreachable`, `Timeout`
   */
  async get(key: string): Promise<KvEntry<A> | undefined> {
    const answer = await this.#request(
      `$JS.API.STREAM.MSG.GET.${this.#stream}`,
      JSON.stringify({ last_by_subj: this.#prefix + key }),
    )
    const reply = answer.json<{
      readonly message?: { readonly seq: number; readonly data?: string; readonly hdrs?: string }
      readonly error?: { readonly code: number; readonly description: string }
    }>()
    if (reply.error?.code === 404) return undefined
    if (reply.message === undefined)
      throw new KirokuError('NatsUnreachable', `${this.#stream}: ${reply.error?.description ?? 'no message'}`)
    const { seq, data } = reply.message
    const value = data ? (JSON.parse(Buffer.from(data, 'base64').toString()) as A) : undefined
    return { key, value, revision: seq }
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
        { strategy: 'timer', maxWait: requestTimeoutMs },
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
    throw new KirokuError('Timeout', `No answer from ${this.#stream} within ${requestTimeoutMs} ms.`)
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
    const answer = await this.#request(this.#prefix + key, payload, h)
    const ack = answer.json<{
      readonly seq?: number
      readonly error?: { readonly err_code: number; readonly description: string }
    }>()
    if (wrongRevisionCodes.has(ack.error?.err_code)) return undefined
    if (ack.seq === undefined || ack.error !== undefined)
      throw new KirokuError('NatsUnreachable', `${this.#stream}: ${ack.error?.description ?? 'no answer'}`)
    return ack.seq
  }

  async #request(subject: string, payload: string, withHeaders?: ReturnType<typeof headers>): Promise<Msg> {
    try {
      return await this.#nc.request(subject, payload, {
        timeout: requestTimeoutMs,
        ...(withHeaders === undefined ? {} : { headers: withHeaders }),
      })
    } catch (error) {
      throw asKirokuError(error, this.#stream)
    }
  }
}
