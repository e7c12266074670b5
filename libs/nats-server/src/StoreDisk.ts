import { readdirSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { diskMarginBytesMax, diskMarginBytesMin, diskMarginShare } from './limits.ts'

/** The disk that a server stores on, at a moment. */
export interface StoreDisk {
  /** What the server may still use of it: a margin stays for logs, indexes, and for the server to compact what it trims. */
  readonly usableBytes: number
  /** What the server could use if nobody else did. */
  readonly bytesMax: number
  /** What is free, the margin included. */
  readonly freeBytes: number
}

/** Looks at the disk on which `folder` lies. */
export const diskOf = (folder: string): StoreDisk => {
  const { bavail, blocks, bsize } = statfsSync(folder)
  const freeBytes = bavail * bsize
  const sizeBytes = blocks * bsize
  const margin = Math.min(diskMarginBytesMax, Math.max(diskMarginBytesMin, sizeBytes * diskMarginShare))
  // What is left of a disk that others filled is still worth half: a trim needs a little to free much.
  return {
    freeBytes,
    usableBytes: Math.floor(Math.max(freeBytes - margin, freeBytes / 2)),
    bytesMax: Math.floor(Math.max(sizeBytes - margin, sizeBytes / 2)),
  }
}

/** Bytes that the files of a folder take on their disk; what goes away meanwhile counts nothing. */
export const bytesIn = (folder: string): number => {
  let bytes = 0
  let entries
  try {
    entries = readdirSync(folder, { withFileTypes: true })
  } catch {
    return 0
  }
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) bytes += bytesIn(path)
    else
      try {
        bytes += statSync(path).blocks * 512
      } catch {
        continue
      }
  }
  return bytes
}
