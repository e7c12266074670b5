import { findBody, readBodyTable, type SectionIndex } from './BodyTable.ts'
import type { BodyRef } from './Frame.ts'
import { layout } from './RecordLayout.ts'

/** Body tables of at most this many bytes are scanned for each lookup; an index would cost more than it saves. */
const shortTable = 32

/** The bodies of a frame. */
export class FrameBodies {
  readonly #bytes: Uint8Array
  readonly #tableBytes: number
  #index: ReadonlyMap<number, SectionIndex> | undefined

  /** @param bytes the body table, followed by the bodies */
  constructor(bytes: Uint8Array, tableBytes: number) {
    this.#bytes = bytes
    this.#tableBytes = tableBytes
  }

  /** Those of a record, which must be a good one; its events are not decoded. */
  static of(record: Uint8Array): FrameBodies {
    return new FrameBodies(record.subarray(bodyTableAt(record)), bodyTableBytes(record))
  }

  /**
   * The body at `index` of those of `queue`, as a view, or the record of a large one; undefined when there is
   * none.
   */
  body(queue: number, index: number): BodyRef | undefined {
    if (this.#tableBytes <= shortTable) return findBody(this.#bytes, this.#tableBytes, queue, index)
    const section = (this.#index ??= readBodyTable(this.#bytes, 0, this.#tableBytes)).get(queue)
    return section === undefined || index >= section.count ? undefined : section.body(index)
  }
}

/** Where the body table of a record begins; the bodies follow it up to the end. */
export const bodyTableAt = (record: Uint8Array): number => layout.payload + uint32(record, layout.eventsBytes)

/** Bytes of the body table of a record; 0: it has no bodies. */
export const bodyTableBytes = (record: Uint8Array): number => uint32(record, layout.tableBytes)

const uint32 = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16)) + bytes[at + 3]! * 0x100_0000
