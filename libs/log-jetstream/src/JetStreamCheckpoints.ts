import type { CheckpointStore } from '@kiroku/log'
import { toKirokuError } from '@kiroku/nats'
import { KirokuError } from '@kiroku/protocol'
import type { JetStreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/nats-core'
import type { ObjectInfo, ObjectStore } from '@nats-io/obj'
import { getDirect, type StoredMessage } from './getDirect.ts'

/** Checkpoints of one partition as objects `<partition>/<seq>` in the log's bucket. */
export class JetStreamCheckpoints implements CheckpointStore {
  readonly #partition: number
  readonly #bucket: string
  readonly #store: ObjectStore
  readonly #jsm: JetStreamManager
  readonly #reader: NatsConnection
  readonly #refused: () => Promise<void>

  /**
   * @param reader the connection for reading
   * @param refused called when the store refused a checkpoint for lack of room
   */
  constructor(
    partition: number,
    bucket: string,
    store: ObjectStore,
    jsm: JetStreamManager,
    reader: NatsConnection,
    refused: () => Promise<void>,
  ) {
    this.#reader = reader
    this.#refused = refused
    this.#partition = partition
    this.#bucket = bucket
    this.#store = store
    this.#jsm = jsm
  }
  list(): Promise<number[]> {
    return this.#try('list', async () => {
      // The object store's own list leaves a consumer behind for minutes, and owners may change often.
      const { state } = await this.#jsm.streams.info(`OBJ_${this.#bucket}`, {
        subjects_filter: `${metaPrefix(this.#bucket)}>`,
      })
      const prefix = `${this.#partition}/`
      const names = Object.keys(state.subjects ?? {})
        .map((subject) => decodeName(subject.slice(metaPrefix(this.#bucket).length)))
        .filter((name) => name.startsWith(prefix))
      return names.map((name) => Number(name.slice(prefix.length))).sort((a, b) => b - a)
    })
  }
  get(seq: number): Promise<Uint8Array | undefined> {
    return this.#try(`read checkpoint ${seq}`, async () => {
      const info = await this.#info(seq)
      if (info === undefined) return undefined
      const bytes = await this.#chunks(info)
      if (bytes.length === info.size || (await this.#chunks(info)).length > 0) return bytes
      // Cut short because it was deleted meanwhile, it is gone rather than damaged.
      return undefined
    })
  }
  size(seq: number): Promise<number | undefined> {
    return this.#try(`look up checkpoint ${seq}`, async () => (await this.#info(seq))?.size)
  }
  async #info(seq: number): Promise<ObjectInfo | undefined> {
    const info = await this.#store.info(this.#name(seq))
    return info === null || info.deleted ? undefined : info
  }
  async put(seq: number, bytes: Uint8Array): Promise<void> {
    const stored = await this.get(seq)
    if (!stored) {
      const refused = await this.#put(seq, bytes)
      if (!refused) return
      if (refused.id === 'StorageFull') await this.#refused()
      // Another node was first, or NATS failed.
      const now = await this.get(seq)
      if (!now) throw refused
      return this.#mustEqual(seq, now, bytes)
    }
    this.#mustEqual(seq, stored, bytes)
  }
  async delete(seq: number): Promise<void> {
    await this.#try(`delete checkpoint ${seq}`, async () => {
      // The object store's own `delete` first stores a marker, for which a full store has no room.
      const info = await this.#store.info(this.#name(seq))
      if (info !== null) await this.#purge(this.#chunkSubject(info))
      // Last, so that one whose deletion was cut short is found again.
      await this.#purge(metaPrefix(this.#bucket) + encodeName(this.#name(seq)))
    })
  }
  async #purge(filter: string): Promise<void> {
    await this.#jsm.streams.purge(`OBJ_${this.#bucket}`, { filter })
  }
  #chunkSubject({ nuid }: ObjectInfo): string {
    return `$O.${this.#bucket}.C.${nuid}`
  }
  /** Reads an object chunk by chunk: the object store's own `get`, too, leaves a consumer behind for minutes. */
  async #chunks(info: ObjectInfo): Promise<Uint8Array> {
    const { size } = info
    const [stream, subject] = [`OBJ_${this.#bucket}`, this.#chunkSubject(info)]
    const bytes = new Uint8Array(size)
    let at = 0
    let isDirect = true
    for (let from = 1; at < size;) {
      const query = { seq: from, next_by_subj: subject }
      let chunk: StoredMessage | null | undefined
      if (isDirect) chunk = await getDirect(this.#reader, stream, query)
      // After one miss the leader gives the rest: a replica that does not answer would cost half a second per chunk.
      isDirect = chunk !== undefined
      chunk ??= await this.#jsm.streams.getMessage(stream, query)
      if (chunk === null) break
      // The leader's base64 is decoded each time that `data` is read.
      const { seq, data } = chunk
      // What is cut short or too long does not match the digest that a checkpoint carries.
      if (at + data.length > size) break
      bytes.set(data, at)
      at += data.length
      from = seq + 1
    }
    return at === size ? bytes : bytes.subarray(0, at)
  }
  async #put(seq: number, bytes: Uint8Array): Promise<KirokuError | undefined> {
    try {
      const meta = { name: this.#name(seq), options: { max_chunk_size: chunkBytes } }
      await this.#store.put(meta, inPieces(bytes), { previousRevision: 0 })
      return undefined
    } catch (cause) {
      return toKirokuError(cause, `cannot store checkpoint ${seq} of partition ${this.#partition}`)
    }
  }
  #mustEqual(seq: number, stored: Uint8Array, bytes: Uint8Array): void {
    if (Buffer.compare(stored, bytes) !== 0)
      throw new KirokuError(
        'Internal',
        `checkpoint ${seq} of partition ${this.#partition} exists with other content`,
      )
  }
  async #try<A>(what: string, ask: () => Promise<A>): Promise<A> {
    try {
      return await ask()
    } catch (cause) {
      throw toKirokuError(cause, `partition ${this.#partition}: cannot ${what}`)
    }
  }
  #name(seq: number): string {
    return `${this.#partition}/${seq}`
  }
}

/** The bucket's subjects for metadata of objects. */
const metaPrefix = (bucket: string): string => `$O.${bucket}.M.`

const encodeName = (name: string): string =>
  Buffer.from(name).toString('base64').replaceAll('+', '-').replaceAll('/', '_')

const decodeName = (token: string): string => Buffer.from(token, 'base64url').toString()

const pieceBytes = 128 * 1024

/** Each chunk is a record that the server has to sync before the next one comes. */
const chunkBytes = 4 * pieceBytes

/**
 * The bytes piece by piece, each in its own turn of the event loop: a large checkpoint must not hold up
 * appends.
 */
const inPieces = (bytes: Uint8Array): ReadableStream<Uint8Array> => {
  let at = 0
  return new ReadableStream({
    pull: async (controller) => {
      await new Promise((resolve) => setImmediate(resolve))
      controller.enqueue(bytes.subarray(at, (at += pieceBytes)))
      if (at >= bytes.length) controller.close()
    },
  })
}
