/** Limits of what is asked of the record; the unit is in the name. */
export const questionLimits = {
  /** Messages that a moment or a comparison names. */
  momentMessagesMax: 1_000,
  searchMessagesMax: 1_000,
  historyBucketsMax: 500,
  /** Frames and work of a recording beyond its moment. */
  recordingFramesMax: 10_000,
  recordingWorkMax: 1_000_000,
} as const
