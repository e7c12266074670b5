import type { DecodeCheckpoint } from '@kiroku/audit'
import type { Log } from '@kiroku/log'

/** A log as this node reads it. */
export interface AuditedLog {
  readonly log: Log
  /** The node's data folder, as an absolute path; an auditor may keep its files there. */
  readonly dataDir: string
  /** Reads the checkpoints of the engine that wrote the log. */
  readonly decodeCheckpoint: DecodeCheckpoint
}
