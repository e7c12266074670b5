/** How far a generation that begins in the past has got with it. */
export interface Fill {
  /** The first record to read. */
  readonly readFrom: number
  /** The frame that opened the generation; what became available behind that came by itself. */
  readonly openedSeq: number
  /** Number that was next then. */
  readonly until: number
  /** What is restored: everything up to this record, and this many of its events. */
  readonly done: readonly [seq: number, events: number]
}
