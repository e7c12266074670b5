import { randomBytes } from 'node:crypto'
import { shareAuditor, startAuditor, type AuditorSharing, type SharedAuditor } from '@kiroku/auditor'
import type { Logger } from '../serve/Logger.ts'
import type { Nats } from '../serve/describeCluster.ts'
import { isAuditorFrugal } from '../serve/memoryMax.ts'
import { auditorBus } from './auditorBus.ts'
import { auditorScript, type AuditorSetup } from './auditorScript.ts'

/** Where there is little memory: what it reads is soon garbage, and a young generation of the default size keeps 48 MB of that. */
const frugalFlags = ['--max-semi-space-size=2', '--min-semi-space-size=2']

/** What an engine starts its auditor with. */
export interface EngineAuditorSetup extends Pick<AuditorSharing, 'node' | 'isConnected' | 'mayRun'> {
  readonly nats: Nats
  /** What the auditor's own process opens. */
  readonly opens: AuditorSetup
  readonly logger: Logger
}

/** The auditor of an engine: it runs next to one engine of the log, and every engine asks that one. */
export const engineAuditor = ({
  nats,
  opens,
  logger,
  node,
  ...sharing
}: EngineAuditorSetup): Promise<SharedAuditor> =>
  shareAuditor({
    ...sharing,
    bus: auditorBus(nats, opens.log),
    // Two machines may have one name, and processes of the same number.
    node: `${node}-${randomBytes(4).toString('hex')}`,
    start: () =>
      startAuditor({
        script: auditorScript,
        setup: opens,
        flags: isAuditorFrugal() ? frugalFlags : [],
        onEvent: logger,
      }),
    onChange: (isHere, other) =>
      logger('debug', isHere ? 'this node runs the auditor' : 'another node runs the auditor', { other }),
  })
