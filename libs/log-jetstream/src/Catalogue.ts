import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { isOvertaken, isStreamMissing } from '@kiroku/nats'
import { KirokuError } from '@kiroku/protocol'
import { jetstreamManager } from '@nats-io/jetstream'
import { Kvm, type KV } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/nats-core'
import { type CatalogueEntry, type CreateLog, newEntry } from './CatalogueEntry.ts'
import { catalogueBucket, catalogueKey, catalogueStream } from './names.ts'
import { parseEntry } from './streamMetadata.ts'

/** How long what another process wrote may take to be seen, and how often it is looked for, in ms. */
const seenMs = 5_000
const lookMs = 50

/** A stored entry, with its revision. */
export interface Found {
  readonly entry: CatalogueEntry
  readonly revision: number
}

/**
 * The directory of logs in NATS KV. Read from the leader, because a log missing from a stale answer would be
 * created twice.
 */
export class Catalogue {
  readonly #nc: NatsConnection
  #bucket: KV | undefined
  constructor(nc: NatsConnection) {
    this.#nc = nc
  }
  /** The entry of `log`; undefined: none, or unreadable. */
  async find(log: string): Promise<Found | undefined> {
    const stored = await this.#stored(log)
    if (!stored || stored.operation !== 'PUT') return undefined
    const entry = parseEntry(stored.string())
    return entry && { entry, revision: stored.revision }
  }
  async #stored(log: string) {
    const bucket = await this.#existing()
    try {
      return await bucket?.get(catalogueKey(log))
    } catch (cause) {
      if (!isStreamMissing(cause)) throw cause
      // It was deleted since.
      this.#bucket = undefined
      return undefined
    }
  }
  /** Adds a new log to the catalogue; the second creator gets the first one's entry. */
  create(log: string, create: CreateLog): Promise<Found> {
    return this.#add(log, newEntry(log, randomBytes(4).toString('hex'), create))
  }
  /** Replaces `before`, which is wrong, outdated or gone; the second writer gets what the first one wrote. */
  async restore(log: string, entry: CatalogueEntry, before: Found | undefined): Promise<Found> {
    if (before === undefined) return this.#add(log, entry)
    const bucket = await this.#made(entry.meta.replicas)
    try {
      return {
        entry,
        revision: await bucket.update(catalogueKey(log), JSON.stringify(entry), before.revision),
      }
    } catch (refused) {
      return await this.#theirs(log, before.revision, refused)
    }
  }
  async #add(log: string, entry: CatalogueEntry): Promise<Found> {
    const bucket = await this.#made(entry.meta.replicas)
    const stored = await bucket.get(catalogueKey(log))
    if (stored === null) await this.#clearDamage(bucket, log)
    const text = JSON.stringify(entry)
    try {
      // An unreadable value is no entry.
      const isThere = stored?.operation === 'PUT' && parseEntry(stored.string()) === undefined
      const revision = isThere
        ? await bucket.update(catalogueKey(log), text, stored.revision)
        : await bucket.create(catalogueKey(log), text)
      return { entry, revision }
    } catch (refused) {
      return await this.#theirs(log, undefined, refused)
    }
  }
  /** Notes that all streams of the log exist. Idempotent. */
  async complete(log: string, entry: CatalogueEntry, revision: number): Promise<void> {
    const bucket = await this.#existing()
    try {
      await bucket?.update(catalogueKey(log), JSON.stringify({ ...entry, complete: true }), revision)
    } catch (refused) {
      if (!(await this.#theirs(log, revision, refused)).entry.complete) throw refused
    }
  }
  /**
   * What another process wrote at the same moment, for which a write was refused. In a cluster NATS refuses the second
   * while the first is still on its way to the replicas, so it may be seen only later.
   */
  async #theirs(log: string, before: number | undefined, refused: unknown): Promise<Found> {
    const untilMs = performance.now() + seenMs
    for (;;) {
      const found = await this.find(log)
      if (found !== undefined && found.revision !== before) return found
      if (!isOvertaken(refused) || performance.now() > untilMs) throw refused
      await pause(lookMs)
    }
  }
  /**
   * NATS keeps an entry that it cannot read, and fails every replacement, again after every start (tested
   * with 2.15.1). Only emptying the bucket removes it; the entries of other logs are written again.
   */
  async #clearDamage(bucket: KV, log: string): Promise<void> {
    const { streams } = await jetstreamManager(this.#nc)
    const prefix = `$KV.${catalogueBucket}.`
    const { state } = await streams.info(catalogueStream, { subjects_filter: `${prefix}>` })
    const keys = Object.keys(state.subjects ?? {}).map((subject) => subject.slice(prefix.length))
    // It may have been created just now.
    if (!keys.includes(catalogueKey(log)) || (await bucket.get(catalogueKey(log))) !== null) return
    const kept: [key: string, text: string][] = []
    for (const key of keys) {
      const stored = await bucket.get(key)
      if (stored?.operation === 'PUT') kept.push([key, stored.string()])
    }
    await streams.purge(catalogueStream, { seq: state.last_seq + 1 })
    // A process that opened such a log meanwhile wrote the entry from its streams.
    for (const [key, text] of kept) await bucket.create(key, text).catch(() => undefined)
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
      // Another process created it at the same moment, with other replicas.
      const bucket = await this.#existing()
      if (!bucket) throw refused
      return bucket
    }
    const bucket = await this.#existing()
    if (!bucket) throw new KirokuError('NatsUnreachable', `the bucket ${catalogueBucket} is gone again`)
    return bucket
  }
}
