import { hash } from 'node:crypto'

/** SHA-256 of some bytes; the partition, which must run in a browser too, is given it. */
export const sha256 = (bytes: Uint8Array): Uint8Array => hash('sha256', bytes, 'buffer')
