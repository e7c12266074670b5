import type { RunningServer } from './ManagedState.ts'
import { diskOf } from './StoreDisk.ts'

/** The disk of a managed server as the log in it needs to know it, in bytes. */
export interface ManagedDisk {
  readonly freeBytes: number
  readonly bytesMax: number
  /** The server's own limit; absent: it was started without one. */
  readonly storeBytesMax?: number
}

/** Looks at the disk of the managed server whose folder this is. */
export const managedDisk = (
  folder: string,
  { storeBytesMax }: Pick<RunningServer, 'storeBytesMax'>,
): ManagedDisk => {
  const { usableBytes: freeBytes, bytesMax } = diskOf(folder)
  return { freeBytes, bytesMax, ...(storeBytesMax === undefined ? {} : { storeBytesMax }) }
}
