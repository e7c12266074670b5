import type { Part } from '../runParts.ts'
import type { AuditSizes } from './sizes.ts'

/** What a part gets. */
export interface AuditRun extends Part {
  readonly sizes: AuditSizes
}
