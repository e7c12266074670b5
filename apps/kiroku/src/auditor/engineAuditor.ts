import { randomBytes } from 'node:crypto'
import { startAuditor } from '@kiroku/auditor'
import type { Logger } from '../serve/Logger.ts'
import { auditorScript, type AuditorSetup } from './auditorScript.ts'
import { shareAuditor, type AuditorSharing, type SharedAuditor } from './shareAuditor.ts'

/** What an engine starts its auditor with. */
export interface EngineAuditorSetup extends Pick<AuditorSharing, 'nats' | 'node' | 'isConnected' | 'mayRun'> {
  /** What the auditor's own process opens. */
  readonly opens: AuditorSetup
  readonly logger: Logger
}

/** The auditor of an engine: it runs next to one engine of the log, and every engine asks that one. */
export const engineAuditor = ({
  opens,
  logger,
  node,
  ...sharing
}: EngineAuditorSetup): Promise<SharedAuditor> =>
  shareAuditor({
    ...sharing,
    log: opens.log,
    // Two machines may have one name, and processes of the same number.
    node: `${node}-${randomBytes(4).toString('hex')}`,
    start: () => startAuditor({ script: auditorScript, setup: opens, onEvent: logger }),
    onChange: (isHere, other) =>
      logger('debug', isHere ? 'this node runs the auditor' : 'another node runs the auditor', { other }),
  })
