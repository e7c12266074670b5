/** Limits of the auditor; the unit is in the name. */
export const limits = {
  /** Larger bodies are not indexed. */
  bodyBytesIndexedMax: 64 * 1024,
  /** Values of one body; more are left out. */
  fieldsPerMessageMax: 64,
  fieldDepthMax: 8,
  fieldNameCharactersMax: 200,
  /** Longer texts are not indexed. */
  fieldCharactersMax: 200,
  /** Messages in the index; beyond it the final ones that changed longest ago are removed. */
  rowsMax: 20_000_000,
  /** Messages that share the list of frames which touched one of them. */
  bucketMessages: 32,
  /** Changes gathered in memory before they are written. */
  pendingRowsMax: 16_384,
  /** A search that takes longer answers what it has, with a cursor. */
  searchMs: 2_000,
  /** Entries of the index that a search goes through between two pauses, and those that a sweep does. */
  searchSliceRows: 4_096,
  sweptRows: 4_096,
  /** Questions that are answered at once: of all who ask, and of one. */
  answersMax: 4,
  answersPerPrincipalMax: 2,
  /** Questions of one that wait for an answer; more are refused. */
  waitingPerPrincipalMax: 64,
  /** Those whose use is remembered. */
  principalsMax: 1_000,
  actsMax: 10_000,
  /** Buckets of all queues together in one answer about history. */
  historyCellsMax: 20_000,
  historyActsMax: 200,
} as const
