import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Bytes that the files of a folder take on disk; a file that goes meanwhile takes none. */
export const bytesIn = async (folder: string): Promise<number> => {
  let bytes = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const found = await stat(join(entry.parentPath, entry.name)).catch(() => undefined)
    bytes += (found?.blocks ?? 0) * 512
  }
  return bytes
}
