import { resolve } from 'node:path'
import type { AuditedLog } from '@kiroku/auditor'
import { decodeCheckpoint } from '@kiroku/engine'
import type { Log } from '@kiroku/log'

/** A log for the auditor's library: with this node's data folder and this engine's checkpoints. */
export const auditedLog = (log: Log, dataDir: string): AuditedLog => ({
  log,
  dataDir: resolve(dataDir),
  decodeCheckpoint,
})
