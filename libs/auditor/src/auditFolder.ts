import { join } from 'node:path'

/** The auditor's folder for one incarnation of a log. */
export const auditFolder = (dataDir: string, incarnation: string): string =>
  join(dataDir, 'audit', incarnation)
