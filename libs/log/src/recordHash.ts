import { hash } from 'node:crypto'
import { hashBytes, layout } from './RecordLayout.ts'

/** SHA-256 of some bytes. */
export const sha256 = (bytes: Uint8Array): Buffer => hash('sha256', bytes, 'buffer')

/** Hash of a record whose bodies begin at `bodiesAt`. */
export const recordHash = (record: Uint8Array, bodiesAt: number): Buffer =>
  sha256(record.subarray(layout.version, bodiesAt))

/** Whether the bodies from `bodiesAt` on have the digest that the record names. */
export const bodiesIntact = (record: Uint8Array, bodiesAt: number): boolean =>
  sha256(record.subarray(bodiesAt)).equals(
    record.subarray(layout.bodiesDigest, layout.bodiesDigest + hashBytes),
  )

/** Bytes as hex digits. */
export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
