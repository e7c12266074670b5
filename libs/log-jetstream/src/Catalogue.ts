import { randomBytes } from 'node:crypto'
import type { LogMeta } from '@kiroku/log'
import { KirokuError } from '@kiroku/message'
import { Kvm, type KV } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/nats-core'
import { catalogueBucket, catalogueKey } from './names.ts'

/** How a log is made when it does not exist yet. */
export interface CreateLog {
  readonly partitions: number
  /** Copies of each stream in a cluster. Default: 1. */
  readonly replicas?: number
  /** How long the record is kept, ms. Default: 7 days. */
  readonly recordMs?: number
  /** How much of the record is kept, bytes of all partitions. Default: 20 GiB. */
  readonly recordBytes?: number
  /** Limit of each partition's stream in bytes. Default: none. */
  readonly bytesMax?: number
}

/** What the catalogue holds of one log. */
export interface CatalogueEntry {
  readonly meta: LogMeta
  readonly bytesMax: number
  /** False until all its streams exist: whoever opens it before completes it. */
  readonly complete: boolean
}

/** The directory of logs in NATS KV. Read from the leader, because what is stale here would be made twice. */
export class Catalogue {
  readonly #nc: NatsConnection
  #bucket: KV | undefined
  constructor(nc: NatsConnection) {
    this.#nc = nc
  }
  /** What is stored of `log`, and its revision. */
  async find(log: string): Promise<{ entry: CatalogueEntry; revision: number } | undefined> {
    const bucket = await this.#existing()
    const stored = await bucket?.get(catalogueKey(log))
    if (!stored || stored.operation !== 'PUT') return undefined
    return { entry: stored.json<CatalogueEntry>(), revision: stored.revision }
  }
  /** Puts a new log into the catalogue; whoever comes second gets what the first one made. */
  async create(log: string, create: CreateLog): Promise<{ entry: CatalogueEntry; revision: number }> {
    const entry: CatalogueEntry = {
      meta: {
        name: log,
        incarnation: randomBytes(4).toString('hex'),
        partitions: create.partitions,
        replicas: create.replicas ?? 1,
        recordMs: create.recordMs ?? 7 * 24 * 3_600_000,
        recordBytes: create.recordBytes ?? 20 * 2 ** 30,
      },
      bytesMax: create.bytesMax ?? 0,
      complete: false,
    }
    const bucket = await this.#made(entry.meta.replicas)
    try {
      return { entry, revision: await bucket.create(catalogueKey(log), JSON.stringify(entry)) }
    } catch (refused) {
      const found = await this.find(log)
      if (found) return found
      throw refused
    }
  }
  /** Notes that all streams of the log exist. Doing so twice is harmless. */
  async complete(log: string, entry: CatalogueEntry, revision: number): Promise<void> {
    const bucket = await this.#existing()
    try {
      await bucket?.update(catalogueKey(log), JSON.stringify({ ...entry, complete: true }), revision)
    } catch (refused) {
      if (!(await this.find(log))?.entry.complete) throw refused
    }
  }
  async #existing(): Promise<KV | undefined> {
    if (this.#bucket) return this.#bucket
    const bucket = await new Kvm(this.#nc).open(catalogueBucket, { allow_direct: false })
    try {
      await bucket.status()
    } catch (cause) {
      if (cause instanceof Error && cause.message.includes('stream not found')) return undefined
      throw cause
    }
    return (this.#bucket = bucket)
  }
  async #made(replicas: number): Promise<KV> {
    try {
      await new Kvm(this.#nc).create(catalogueBucket, { replicas, history: 1 })
    } catch (refused) {
      // Made by somebody else at the same moment, with other replicas.
      const bucket = await this.#existing()
      if (!bucket) throw refused
      return bucket
    }
    const bucket = await this.#existing()
    if (!bucket) throw new KirokuError('NatsUnreachable', `the bucket ${catalogueBucket} is gone again`)
    return bucket
  }
}
