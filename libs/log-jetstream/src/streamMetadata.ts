import { KirokuError } from '@kiroku/protocol'
import type { StreamConfig } from '@nats-io/jetstream'
import type { CatalogueEntry } from './CatalogueEntry.ts'

/** Metadata key of a stream: the incarnation of the log that it belongs to. */
const marker = 'kiroku'
/** Metadata key of a stream: everything in the catalogue entry; streams of older versions lack it. */
const entryKey = 'kiroku-log'

type WithMetadata = Pick<StreamConfig, 'metadata'>

/** Metadata of a log's streams, so that each of them can restore what the catalogue lost. */
export const metadataOf = ({ meta, bytesMax }: CatalogueEntry): Readonly<Record<string, string>> => ({
  [marker]: meta.incarnation,
  [entryKey]: JSON.stringify({ meta, bytesMax }),
})

/** The incarnation of the log that a stream belongs to; undefined: a foreign stream. */
export const incarnationOf = ({ metadata }: WithMetadata): string | undefined => metadata?.[marker]

/** Whether a stream has the metadata of `metadataOf`. */
export const saysAll = ({ metadata }: WithMetadata, entry: CatalogueEntry): boolean =>
  Object.entries(metadataOf(entry)).every(([key, value]) => metadata?.[key] === value)

/**
 * What a stream says of its log; undefined if an older version created it. Errors: `FutureVersion`, if it
 * cannot be read.
 */
export const entryIn = ({ metadata }: WithMetadata): CatalogueEntry | undefined => {
  const text = metadata?.[entryKey]
  if (text === undefined) return undefined
  const entry = parseEntry(text)
  if (entry === undefined)
    throw new KirokuError('FutureVersion', 'this version cannot read what a stream says of its log')
  return { ...entry, complete: true }
}

/** Reads an entry of the catalogue, or of a stream; undefined: not an entry. */
export const parseEntry = (text: string): CatalogueEntry | undefined => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const { meta, bytesMax, complete } = (value ?? {}) as Partial<CatalogueEntry>
  if (typeof meta?.incarnation !== 'string' || typeof bytesMax !== 'number') return undefined
  const { name, partitions, replicas, recordMs, recordBytes } = meta
  const areRight = [partitions, replicas, recordMs, recordBytes].every((n) => typeof n === 'number')
  return typeof name === 'string' && areRight ? { meta, bytesMax, complete: complete === true } : undefined
}
