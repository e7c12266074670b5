import { keysKeptMs, type KeyEntry, type KeyStore, type LogMeta } from '@kiroku/log'
import { jetStreamCode } from '@kiroku/nats'
import { KirokuError } from '@kiroku/protocol'
import { JetStreamApiError, type JetStreamManager } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { headers, NoRespondersError, RequestError, type NatsConnection } from '@nats-io/nats-core'
import { keyBucket } from './names.ts'

/**
 * Values of an entry that may wait to be scrubbed. Beyond that the store would drop them without overwriting.
 */
const history = 16
const timeoutMs = 5_000

/**
 * Keys as entries of a NATS KV bucket of the log's own, which is created with its first entry. An entry is
 * written as the KV client does; earlier values are deleted one by one as stream messages, since only that
 * overwrites them.
 */
export class JetStreamKeys implements KeyStore {
  readonly keptMs: number
  readonly #nc: NatsConnection
  readonly #jsm: JetStreamManager
  readonly #meta: LogMeta
  readonly #stream: string
  readonly #prefix: string

  constructor(nc: NatsConnection, jsm: JetStreamManager, meta: LogMeta) {
    this.#nc = nc
    this.#jsm = jsm
    this.#meta = meta
    this.keptMs = keysKeptMs(meta.recordMs)
    const bucket = keyBucket(meta.name)
    this.#stream = `KV_${bucket}`
    // A log created again under the same name must not find keys of the one before.
    this.#prefix = `$KV.${bucket}.${meta.incarnation}.`
  }

  get(name: string): Promise<KeyEntry | undefined> {
    return this.#try(`read ${name}`, async () => {
      const found = await this.#message({ last_by_subj: this.#prefix + name })
      return found && { value: found.data, revision: found.seq, timeMs: found.time.getTime() }
    })
  }

  put(name: string, value: Uint8Array, revision: number): Promise<number | undefined> {
    return this.#try(`write ${name}`, async () => {
      const stored = await this.#publish(name, value, revision)
      if (stored !== 'noBucket') return stored
      await this.#make()
      const again = await this.#publish(name, value, revision)
      if (again === 'noBucket') throw new Error(`the bucket ${keyBucket(this.#meta.name)} is gone again`)
      return again
    })
  }

  scrub(name: string): Promise<void> {
    return this.#try(`scrub ${name}`, async () => {
      const last = await this.#message({ last_by_subj: this.#prefix + name })
      if (last === undefined) return
      for (let from = 1; ;) {
        const earlier = await this.#message({ seq: from, next_by_subj: this.#prefix + name })
        if (earlier === undefined || earlier.seq >= last.seq) return
        // The last argument asks the server to overwrite it.
        await this.#jsm.streams.deleteMessage(this.#stream, earlier.seq, true)
        from = earlier.seq + 1
      }
    })
  }

  async #message(query: { last_by_subj: string } | { seq: number; next_by_subj: string }) {
    try {
      return (await this.#jsm.streams.getMessage(this.#stream, query)) ?? undefined
    } catch (cause) {
      if (isMissing(cause)) return undefined
      throw cause
    }
  }

  async #publish(
    name: string,
    value: Uint8Array,
    revision: number,
  ): Promise<number | 'noBucket' | undefined> {
    const h = headers()
    h.set('Nats-Expected-Last-Subject-Sequence', String(revision))
    const answer = await this.#nc
      .request(this.#prefix + name, value, { headers: h, timeout: timeoutMs })
      .catch((cause: unknown) => {
        if (hasNoStream(cause)) return 'noBucket' as const
        throw cause
      })
    if (answer === 'noBucket') return answer
    const ack = answer.json<{ seq?: number; error?: { err_code: number; description: string } }>()
    const code = ack.error?.err_code
    if (code === jetStreamCode.wrongLastSequence || code === jetStreamCode.wrongLastSequenceConstant)
      return undefined
    if (ack.seq === undefined) throw new Error(ack.error?.description ?? 'no answer')
    return ack.seq
  }

  async #make(): Promise<void> {
    await new Kvm(this.#nc).create(keyBucket(this.#meta.name), {
      history,
      ttl: this.keptMs,
      replicas: this.#meta.replicas,
      allow_direct: false,
    })
  }

  async #try<A>(what: string, ask: () => Promise<A>): Promise<A> {
    try {
      return await ask()
    } catch (cause) {
      throw new KirokuError(
        'KeysUnavailable',
        `cannot ${what} of the keys: ${cause instanceof Error ? cause.message : String(cause)}`,
        { cause },
      )
    }
  }
}

const isMissing = (cause: unknown): boolean =>
  cause instanceof JetStreamApiError &&
  (cause.code === jetStreamCode.streamNotFound || cause.message.includes('no message found'))

const hasNoStream = (cause: unknown): boolean =>
  cause instanceof NoRespondersError || (cause instanceof RequestError && cause.isNoResponders())
