import type { LogMeta } from '@kiroku/log'
import type { NatsConnection } from '@nats-io/nats-core'
import type { CreateLog } from './CatalogueEntry.ts'
import type { Disk } from './JetStreamRoom.ts'

/** How much of a log's record is kept; what is absent stays as it is. */
type RecordLimits = Partial<Pick<LogMeta, 'recordMs' | 'recordBytes'>>

/** Which log to open. */
export interface OpenLogOptions {
  readonly name: string
  /**
   * Makes the log when it does not exist; of one that exists it writes again what is missing in the catalogue and in
   * its streams' metadata. Without it nothing is written.
   */
  readonly create?: CreateLog
  /** Limits that its record has from now on, whatever it was made with; without `create` they change nothing. */
  readonly record?: RecordLimits
  /** Told when these were others before. */
  readonly onChanged?: (before: LogMeta, now: LogMeta) => void
  /** Told when the log did not exist. */
  readonly onMade?: () => void
  /** Told in a sentence what had to be written again. */
  readonly onHealed?: (what: string) => void
  /** Connection for reading and for checkpoints, so that what is large cannot hold up appends. Default: the same one. */
  readonly reader?: NatsConnection
  /** The disk of the store, where it is one of this machine and known. Default: it is not. */
  readonly disk?: () => Promise<Disk | undefined>
}
