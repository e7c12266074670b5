import { join } from 'node:path'

/** Where the auditor keeps what it knows of one incarnation of a log. */
export const auditFolder = (dataDir: string, incarnation: string): string =>
  join(dataDir, 'audit', incarnation)
