/** Progress of a read. */
export interface Progress {
  readonly partition: number
  /** The last sequence read so far, and the last one to read. */
  readonly seq: number
  readonly lastSeq: number
  /** Events read so far; restarts with each read. */
  readonly events: number
}

/** Called now and then with the progress. */
export type OnProgress = (progress: Progress) => void

/** Records between two reports. */
export const progressRecords = 1_000

/** Reports the progress of reading one partition: takes each record's sequence and number of events. */
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
