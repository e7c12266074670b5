import { passedBy, type Passed, type ReplayFrame } from '@kiroku/audit'
import { isSealed, readSealed } from '@kiroku/log'
import type { PartitionState, QueueState } from '@kiroku/partition'
import {
  bodyOf,
  decodeEnvelope,
  type EnvelopeMeta,
  isKirokuError,
  type LogEventOf,
  parseMessageId,
  type QueueAddress,
} from '@kiroku/protocol'
import type { PartitionRows } from './PartitionRows.ts'
import type { Row } from './Row.ts'
import { fieldsOf } from './fieldsOf.ts'
import { passedText } from './passedText.ts'

/** Reads a body that has a record of its own, as stored in the log. */
export type ReadLargeBody = (seq: number) => Promise<Uint8Array | undefined>

/** A body to index. */
interface ArrivedBody {
  readonly queue: number
  readonly number: number
  readonly rows: readonly Row[]
  /** Queue that it was forwarded from; undefined: none. */
  readonly from: QueueAddress | undefined
  readonly indexes: Indexing
}

/** One to index once its frame was applied. */
interface LargeBody extends ArrivedBody {
  readonly seq: number
}

/**
 * Which bodies of a queue are indexed: all, those of messages whose first queue asks for it, or none, when
 * they are hidden.
 */
type Indexing = 'all' | 'origins' | 'none'

const indexingOf = ({ config: { indexBody, bodyHidden } }: QueueState): Indexing =>
  indexBody === 'on' ? 'all' : bodyHidden === 'on' ? 'none' : 'origins'

/** Indexes bodies and their envelopes. */
export class BodyIndexer {
  readonly #rows: PartitionRows
  readonly #readLarge: ReadLargeBody
  readonly #large: LargeBody[] = []
  /** For queues without body indexing: whether they hold bodies that are not indexed. */
  readonly #leftOut = new Map<number, boolean>()

  constructor(rows: PartitionRows, readLarge: ReadLargeBody) {
    this.#rows = rows
    this.#readLarge = readLarge
  }

  /** Whether bodies wait for `readLarge`. */
  get hasLarge(): boolean {
    return this.#large.length > 0
  }

  /** Indexes bodies that arrive; `rows` are those of each message, in order. */
  arrived(
    event: LogEventOf<'Enqueued' | 'ForwardReceived'>,
    { record }: ReplayFrame,
    state: PartitionState,
    rows: readonly (readonly Row[])[],
  ): void {
    const { type, queue: id, first } = event
    const from = event.type === 'ForwardReceived' ? event.from : undefined
    const queue = state.queues.get(id)!
    const firstBody = queue.frameSeq === state.frameSeq ? queue.frameCount : 0
    const indexes = indexingOf(queue)
    if (type === 'Enqueued' && indexes !== 'all') this.leftOut(id, true)
    for (let i = 0; i < rows.length; i++) {
      const body = record.body(id, firstBody + i)
      if (body instanceof Uint8Array) {
        if (body[0] !== 0 || indexes === 'all')
          this.#inside({ queue: id, number: first + i, rows: rows[i]!, from, indexes }, body)
      } else {
        const own = indexes === 'all' ? 'origins' : indexes
        this.#large.push({ queue: id, number: first + i, rows: rows[i]!, from, seq: body.seq, indexes: own })
      }
    }
  }

  /** An edited message is found by its new body too. */
  edited(e: LogEventOf<'BodyEdited'>, { record }: ReplayFrame, state: PartitionState): void {
    const queue = state.queues.get(e.queue)
    if (queue === undefined) return
    const body = record.body(e.queue, queue.frameSeq === state.frameSeq ? queue.frameCount : 0)
    if (!(body instanceof Uint8Array)) return
    const indexes = indexingOf(queue)
    const { meta } = decodeEnvelope(body)
    const wanted = indexes === 'all' || (indexes === 'origins' && this.#originIndexes(meta))
    if (wanted && !this.#isHidden(passedBy([], meta.lineage)))
      this.#rows.writer.fields(this.#rows.queue(e.queue), e.number, fieldsOf(bodyOf(body)))
  }

  /** Indexes the bodies that have records of their own. */
  async readLarge(): Promise<void> {
    for (const large of this.#large) {
      const envelope = await this.#readLarge(large.seq)
      if (envelope !== undefined) this.#inside(large, envelope)
    }
    this.#large.length = 0
  }

  /** Notes whether a queue holds bodies that are not indexed. */
  leftOut(queue: number, isLeftOut: boolean): void {
    const before = this.#leftOut.get(queue)
    if (before === true || before === isLeftOut) return
    this.#leftOut.set(queue, isLeftOut)
    this.#rows.writer.bodiesLeftOut(this.#rows.queue(queue), isLeftOut)
  }

  /** A queue was deleted. */
  deleted(queue: number): void {
    this.#leftOut.delete(queue)
  }

  /** Indexes the envelope of a body, and the body if its queue, or the one it was sent to, asks for that. */
  #inside({ queue, number, rows, from, indexes }: ArrivedBody, envelope: Uint8Array): void {
    const { writer } = this.#rows
    // Encrypted bodies stay out of the index, since nothing can be erased from it.
    const isEncrypted = isSealed(envelope)
    let wanted = indexes === 'all'
    if (envelope[0] !== 0) {
      const meta = isEncrypted
        ? ((readSealed(envelope).head.meta ?? {}) as EnvelopeMeta)
        : decodeEnvelope(envelope).meta
      wanted ||= indexes === 'origins' && this.#originIndexes(meta)
      const attributes = attributesOf(meta)
      const { lineage } = meta
      const { texts } = writer
      const passed = from === undefined ? undefined : passedBy([from], lineage)
      if (passed !== undefined && wanted) wanted = !this.#isHidden(passed)
      for (const row of rows) {
        if (passed !== undefined) row.passed = texts.text(passedText(passed))
        row.attributes = attributes
        if (typeof meta.group === 'string') row.group ??= texts.text(meta.group)
        if (typeof meta.tag === 'string') row.tag ??= texts.text(meta.tag)
        if (typeof lineage !== 'object') continue
        row.origin = String(lineage.messageId)
        row.redrives = Number(lineage.redrives ?? 0) || 0
      }
    }
    if (wanted && !isEncrypted) writer.fields(this.#rows.queue(queue), number, fieldsOf(bodyOf(envelope)))
    if (indexes !== 'all') this.leftOut(queue, !wanted || isEncrypted)
  }

  /** Whether one of these queues hides bodies. A queue that is read later and hides them has them forgotten. */
  #isHidden({ queues }: Passed): boolean {
    return [...queues].some((queue) => this.#rows.writer.hidesBodies(queue))
  }

  /**
   * Whether a message was first sent to a queue that has bodies indexed; a queue that was not read yet may be
   * one.
   */
  #originIndexes({ lineage }: EnvelopeMeta): boolean {
    if (typeof lineage?.messageId !== 'string') return false
    try {
      return this.#rows.writer.indexesBodies(parseMessageId(lineage.messageId)) ?? true
    } catch (e) {
      // Envelopes are not trusted.
      if (isKirokuError(e)) return false
      throw e
    }
  }
}

/** Characters of attributes that the index has of a message: what is beyond is only in its record. */
const attributeCharactersMax = 8_192

const attributesOf = ({ attributes }: EnvelopeMeta): string | null => {
  if (typeof attributes !== 'object' || attributes === null) return null
  let left = attributeCharactersMax
  const kept = Object.entries(attributes).filter(([name, value]) => {
    const characters = name.length + String(value).length
    if (characters > left) return false
    left -= characters
    return true
  })
  return kept.length > 0 ? JSON.stringify(Object.fromEntries(kept)) : null
}
