import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The position of one record of a stream in a block file of nats-server. */
export interface BlockRecord {
  readonly seq: number
  /** Offset of its first byte, and of the first behind it. */
  readonly at: number
  readonly end: number
}

/** The folder in which nats-server keeps the block files of a partition. */
export const blockFolder = (storeDir: string, partition: number): string =>
  join(storeDir, 'jetstream', '$G', 'streams', `KIROKU_main_${partition}`, 'msgs')

/** Paths of the block files in a folder, oldest first. */
export const blockFiles = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.blk'))
    .sort((a, b) => Number.parseInt(a) - Number.parseInt(b))
    .map((name) => join(folder, name))

/**
 * The records of a block file in their order. A record is its length (the highest bit tells of headers), sequence,
 * time, subject, headers, data and a checksum.
 */
export const blockRecords = (file: string): BlockRecord[] => {
  const bytes = readFileSync(file)
  const records: BlockRecord[] = []
  for (let at = 0; at < bytes.length;) {
    const end = at + (bytes.readUInt32LE(at) & 0x7fff_ffff)
    records.push({ seq: Number(bytes.readBigUInt64LE(at + 4)), at, end })
    at = end
  }
  return records
}
