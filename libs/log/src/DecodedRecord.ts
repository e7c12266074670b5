import { KirokuError, type LogEvent } from '@kiroku/protocol'
import { readBodyTable, type SectionIndex } from './BodyTable.ts'
import type { BodyRef, BodySection } from './Frame.ts'
import { hashBytes, layout } from './RecordLayout.ts'
import { bodiesIntact, recordHash } from './recordHash.ts'

/** Lengths of a record's sections, read and checked by the codec. */
export interface SectionBytes {
  readonly events: number
  readonly table: number
  readonly bodies: number
}

/** What every record has. Views point into the bytes it was decoded from. */
class RecordView {
  readonly epoch: number
  /** Hash of the record before this one. */
  readonly prevHash: Uint8Array
  protected readonly bytes: Uint8Array
  protected readonly bodiesAt: number
  #hash: Uint8Array | undefined
  constructor(bytes: Uint8Array, epoch: number, sections: SectionBytes) {
    this.epoch = epoch
    this.bytes = bytes
    this.prevHash = bytes.subarray(layout.prevHash, layout.prevHash + hashBytes)
    this.bodiesAt = layout.payload + sections.events + sections.table
  }
  /** Size of the whole record. */
  get sizeBytes(): number {
    return this.bytes.length
  }
  /** This record's hash, which the next one names. */
  get hash(): Uint8Array {
    return (this.#hash ??= recordHash(this.bytes, this.bodiesAt))
  }
  /** Whether the bodies match the digest that the hash covers. */
  bodiesIntact(): boolean {
    return bodiesIntact(this.bytes, this.bodiesAt)
  }
}

/** A frame as it was stored: events of many queues and their bodies. */
export class DecodedFrame extends RecordView {
  readonly kind = 'frame' as const
  /** Partition time in ms at which it was decided. */
  readonly at: number
  readonly events: LogEvent[]
  readonly #tableAt: number
  #index: Map<number, SectionIndex> | undefined
  constructor(bytes: Uint8Array, epoch: number, at: number, events: LogEvent[], sections: SectionBytes) {
    super(bytes, epoch, sections)
    this.at = at
    this.events = events
    this.#tableAt = layout.payload + sections.events
  }
  /** Ids of the queues that have bodies here. */
  get bodyQueues(): number[] {
    return [...this.#sections().keys()]
  }
  /** Every section with all its bodies. */
  get sections(): BodySection[] {
    return Array.from(this.#sections().values(), (s) => ({ queue: s.queue, bodies: s.bodies() }))
  }
  /** Number of bodies of `queue` in this frame. */
  bodyCount(queue: number): number {
    return this.#sections().get(queue)?.count ?? 0
  }
  /** The body at `index` of those of `queue` in this frame, as a view, or the record of a large one. */
  body(queue: number, index: number): BodyRef {
    const section = this.#sections().get(queue)
    if (!section) throw new KirokuError('Internal', `queue ${queue} has no bodies in this frame`)
    return section.body(index)
  }
  #sections(): Map<number, SectionIndex> {
    return (this.#index ??= readBodyTable(this.bytes, this.#tableAt, this.bodiesAt))
  }
}

/** A large body that has a record of its own. */
export class DecodedBody extends RecordView {
  readonly kind = 'body' as const
  /** The body, as a view. */
  get body(): Uint8Array {
    return this.bytes.subarray(this.bodiesAt)
  }
}

/** A decoded record. */
export type DecodedRecord = DecodedFrame | DecodedBody
