/** The process of an auditor, which `startAuditor` forks. It has connections of its own. */
import { serveAuditor } from '@kiroku/auditor'
import { openLog } from '@kiroku/log-jetstream'
import { connect } from '@kiroku/nats'
import { auditedLog } from '../audit/auditedLog.ts'
import type { AuditorSetup } from './auditorScript.ts'

serveAuditor(async (setup) => {
  const { nats: target, log: name, dataDir } = setup as AuditorSetup
  const [nats, reader] = await Promise.all([connect(target), connect(target)])
  const log = await openLog(nats, { name, reader })
  return {
    ...auditedLog(log, dataDir),
    close: async () => {
      await log.close()
      await Promise.all([nats.close(), reader.close()])
    },
  }
})
