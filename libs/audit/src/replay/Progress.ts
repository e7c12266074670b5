/** How far a reading is. */
export interface Progress {
  readonly partition: number
  /** Sequence that was read last, and the last one that will be. */
  readonly seq: number
  readonly lastSeq: number
  /** Events read so far; begins anew with a reading of its own. */
  readonly events: number
}

/** Told of the progress now and then. */
export type OnProgress = (progress: Progress) => void

/** Records between two reports. */
export const progressRecords = 1_000

/** Tells of a reading of one partition: takes each record's sequence and how many events it holds. */
export const progressOf = (
  partition: number,
  lastSeq: number,
  onProgress: OnProgress | undefined,
): ((seq: number, events: number) => void) => {
  let all = 0
  let next = 0
  return (seq, events) => {
    all += events
    if (onProgress === undefined || seq < next) return
    next = seq + progressRecords
    onProgress({ partition, seq, lastSeq, events: all })
  }
}
