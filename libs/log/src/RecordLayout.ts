import { crc32 } from 'node:zlib'
import { frameVersion } from './Frame.ts'

/**
 * Offsets of the fixed fields of a record. Magic and checksum keep their place in every future version, so
 * that damage is told from a newer version. Numbers are little-endian; epoch and time are doubles (exact to
 * 2^53).
 *
 * | offset | field |
 * |---|---|
 * | 0 | magic `KRKU` |
 * | 4 | crc32 of the record without this field |
 * | 8 | version, kind, two reserved bytes of flags |
 * | 12 | epoch |
 * | 20 | partition time in ms |
 * | 28 | bytes of events, of the body table, of the bodies (3 × u32) |
 * | 40 | hash of the record before (32) |
 * | 72 | SHA-256 of the bodies section (32) |
 * | 104 | events, body table, bodies |
 *
 * The record's own hash covers everything from the version to the end of the body table; it covers bodies
 * through their digest only.
 */
export const layout = {
  crc: 4,
  version: 8,
  kind: 9,
  epoch: 12,
  at: 20,
  eventsBytes: 28,
  tableBytes: 32,
  bodiesBytes: 36,
  prevHash: 40,
  bodiesDigest: 72,
  payload: 104,
} as const

const magic = [0x4b, 0x52, 0x4b, 0x55] as const

/** Codes of the kinds of records. */
export const recordKind = { frame: 1, body: 2 } as const

/** Bytes of a hash. */
export const hashBytes = 32

/** The hash before the first record of a log. */
export const zeroHash: Uint8Array = new Uint8Array(hashBytes)

/**
 * Whether `bytes` is a record of Kiroku, perhaps a damaged one. One wrong byte in the magic is forgiven here,
 * because a damaged frame that counts as foreign would be skipped silently.
 */
export const isOurs = (bytes: Uint8Array): boolean => {
  let same = 0
  for (let i = 0; i < magic.length; i++) if (bytes[i] === magic[i]) same++
  return same >= magic.length - 1
}

/** Writes magic and version. */
export const writePreamble = (record: Buffer): void => {
  for (let i = 0; i < magic.length; i++) record[i] = magic[i]!
  record[layout.version] = frameVersion
}

/** The checksum for the record's crc field. */
export const checksum = (record: Uint8Array): number =>
  crc32(record.subarray(layout.crc + 4), crc32(record.subarray(0, layout.crc)))
