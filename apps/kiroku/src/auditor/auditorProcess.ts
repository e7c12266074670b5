/** The process of an auditor, which `startAuditor` forks. It has its own connections. */
import { serveAuditor } from '@kiroku/auditor'
import { auditedLog } from '../audit/auditedLog.ts'
import { openToRead } from '../log/openToRead.ts'
import { growHeap } from '../serve/growHeap.ts'
import { isAuditorFrugal } from '../serve/memoryMax.ts'
import type { AuditorSetup } from './auditorScript.ts'

growHeap(isAuditorFrugal())
serveAuditor(async (setup) => {
  const { nats, log: name, dataDir, anchors } = setup as AuditorSetup
  const { log, close } = await openToRead(nats, name)
  return { ...auditedLog(log, dataDir), ...(anchors === undefined ? {} : { anchors }), close }
})
