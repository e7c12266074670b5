/** How far a reading is. */
export interface Progress {
  readonly partition: number
  /** Sequence that was read last, and the last one that will be. */
  readonly seq: number
  readonly lastSeq: number
  /** Events read so far, of all partitions. */
  readonly events: number
}

/** Told of the progress now and then. */
export type OnProgress = (progress: Progress) => void

/** Records between two reports. */
export const progressRecords = 1_000
