const sqliteCorrupt = 11
const sqliteNotADatabase = 26

/** Whether an error of SQLite says that the file is not what was written, so that the index has to be built again. */
export const isIndexDamage = (error: unknown): boolean => {
  const { code, errcode = 0 } = (error ?? {}) as { readonly code?: string; readonly errcode?: number }
  // The low byte is the kind of the error, what is above it its detail.
  const kind = errcode & 0xff
  return code === 'ERR_SQLITE_ERROR' && (kind === sqliteCorrupt || kind === sqliteNotADatabase)
}
