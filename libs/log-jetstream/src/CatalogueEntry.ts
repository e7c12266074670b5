import type { LogMeta } from '@kiroku/log'

/** How to create a log that does not exist yet. */
export interface CreateLog {
  readonly partitions: number
  /** Copies of each stream in a cluster. Default: 1. */
  readonly replicas?: number
  /** How long the record is kept, ms. Default: 7 days. */
  readonly recordMs?: number
  /** How much of the record is kept, bytes of all partitions. Default: 20 GiB. */
  readonly recordBytes?: number
  /** Limit of each partition's stream in bytes. Default: none. */
  readonly bytesMax?: number
}

/** A log in the catalogue. */
export interface CatalogueEntry {
  readonly meta: LogMeta
  readonly bytesMax: number
  /** False until all its streams exist: the next to open the log creates the missing ones. */
  readonly complete: boolean
}

/** The entry of a log that is being created. */
export const newEntry = (name: string, incarnation: string, create: CreateLog): CatalogueEntry => ({
  meta: {
    name,
    incarnation,
    partitions: create.partitions,
    replicas: create.replicas ?? 1,
    recordMs: create.recordMs ?? 7 * 24 * 3_600_000,
    recordBytes: create.recordBytes ?? 20 * 2 ** 30,
  },
  bytesMax: create.bytesMax ?? 0,
  complete: false,
})
