/** Limits of what the auditor keeps; the unit is in the name. */
export const limits = {
  /** Of larger bodies nothing is indexed. */
  bodyBytesIndexedMax: 64 * 1024,
  /** Values of one body; the others are left out. */
  fieldsPerMessageMax: 64,
  fieldDepthMax: 8,
  fieldNameCharactersMax: 200,
  /** Longer texts are not indexed. */
  fieldCharactersMax: 200,
  /** Messages in the index; beyond it the final ones that changed longest ago leave it. */
  rowsMax: 20_000_000,
  /** Messages that share the list of frames which touched one of them. */
  bucketMessages: 32,
  /** Changes that are gathered in memory before they are written. */
  pendingRowsMax: 16_384,
  /** A search that takes longer answers what it has, and where to go on. */
  searchMs: 2_000,
  actsMax: 10_000,
  /** Buckets of all queues of a stretch of history together. */
  historyCellsMax: 20_000,
  historyActsMax: 200,
} as const
