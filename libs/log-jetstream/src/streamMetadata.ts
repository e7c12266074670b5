import { KirokuError } from '@kiroku/protocol'
import type { StreamConfig } from '@nats-io/jetstream'
import type { CatalogueEntry } from './CatalogueEntry.ts'

/** Under this key a stream's metadata says to which making of a log it belongs. */
const marker = 'kiroku'
/** Under this key it says all that the catalogue does; streams that older versions made have it not. */
const entryKey = 'kiroku-log'

type WithMetadata = Pick<StreamConfig, 'metadata'>

/** What the metadata of a log's streams says, so that each of them can tell what the catalogue forgot. */
export const metadataOf = ({ meta, bytesMax }: CatalogueEntry): Readonly<Record<string, string>> => ({
  [marker]: meta.incarnation,
  [entryKey]: JSON.stringify({ meta, bytesMax }),
})

/** The making of a log that a stream belongs to; undefined: it is none of ours. */
export const incarnationOf = ({ metadata }: WithMetadata): string | undefined => metadata?.[marker]

/** Whether a stream says what `metadataOf` would have it say. */
export const saysAll = ({ metadata }: WithMetadata, entry: CatalogueEntry): boolean =>
  Object.entries(metadataOf(entry)).every(([key, value]) => metadata?.[key] === value)

/** What a stream says of its log; undefined where an older version made it. Errors: `FutureVersion`, where it cannot be read. */
export const entryIn = ({ metadata }: WithMetadata): CatalogueEntry | undefined => {
  const text = metadata?.[entryKey]
  if (text === undefined) return undefined
  const entry = parseEntry(text)
  if (entry === undefined)
    throw new KirokuError('FutureVersion', 'a stream says something of its log that this version cannot read')
  return { ...entry, complete: true }
}

/** Reads an entry of the catalogue, or of a stream; undefined: it is none. */
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
