import type { LogMeta } from '@kiroku/log'
import type { NatsConnection } from '@nats-io/nats-core'
import type { CreateLog } from './CatalogueEntry.ts'
import type { Disk } from './JetStreamRoom.ts'

/** How much of a log's record is kept; absent fields keep their value. */
type RecordLimits = Partial<Pick<LogMeta, 'recordMs' | 'recordBytes'>>

/** Which log to open. */
export interface OpenLogOptions {
  readonly name: string
  /**
   * Creates the log if it does not exist; for an existing one restores what is missing in the catalogue and
   * in its streams' metadata. Without it nothing is written.
   */
  readonly create?: CreateLog
  /** Limits of its record from now on, whatever it was created with; without `create` they change nothing. */
  readonly record?: RecordLimits
  /** Called when they differed before. */
  readonly onChanged?: (before: LogMeta, now: LogMeta) => void
  /** Called when the log did not exist. */
  readonly onMade?: () => void
  /** Called with a sentence that says what had to be written again. */
  readonly onHealed?: (what: string) => void
  /**
   * Connection for reading and for checkpoints, so that large data cannot hold up appends. Default: the same
   * one.
   */
  readonly reader?: NatsConnection
  /** How often a log that may be created is checked for buckets that are gone, in ms; default 15,000. */
  readonly keepBucketsMs?: number
  /** The store's disk, if it is a known one of this machine. Default: unknown. */
  readonly disk?: () => Promise<Disk | undefined>
}
