import { readBodyTable, type SectionIndex } from './BodyTable.ts'
import type { BodyRef } from './Frame.ts'
import { layout } from './RecordLayout.ts'

/** The bodies of a frame in its stored bytes, which must be a good record; its events are not decoded. */
export class FrameBodies {
  readonly #bytes: Uint8Array
  readonly #tableAt: number
  readonly #bodiesAt: number
  #index: ReadonlyMap<number, SectionIndex> | undefined

  constructor(bytes: Uint8Array) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#bytes = bytes
    this.#tableAt = layout.payload + view.getUint32(layout.eventsBytes, true)
    this.#bodiesAt = this.#tableAt + view.getUint32(layout.tableBytes, true)
  }

  /** Whether the frame has no bodies. */
  get isEmpty(): boolean {
    return this.#tableAt === this.#bodiesAt
  }

  /**
   * The body at `index` of those of `queue`, as a view, or the record of a large one; undefined when there is
   * none.
   */
  body(queue: number, index: number): BodyRef | undefined {
    const section = (this.#index ??= readBodyTable(this.#bytes, this.#tableAt, this.#bodiesAt)).get(queue)
    return section === undefined || index >= section.count ? undefined : section.body(index)
  }
}
