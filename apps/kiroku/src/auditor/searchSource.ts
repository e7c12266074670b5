import type { SearchSource } from '@kiroku/api'
import type { Log } from '@kiroku/log'
import { KirokuError } from '@kiroku/protocol'
import { actFilter } from '../audit/actFilter.ts'
import { actsOfLog } from '../audit/actsOfLog.ts'
import { askedStretch } from '../audit/askedStretch.ts'
import { askOrHere } from './askOrHere.ts'
import type { RunningAuditor } from './startAuditor.ts'

/** Puts what the HTTP API is asked to the auditor; acts are read from the log where there is none. */
export const searchSource = (
  log: Log,
  dataDir: string,
  auditor: RunningAuditor | undefined,
): SearchSource => ({
  messages: async ({ q = '', limit, cursor }) => {
    if (auditor === undefined) throw new KirokuError('NoAuditor', 'this engine runs without an auditor')
    const max = limit === undefined ? undefined : Number(limit)
    if (max !== undefined && !Number.isSafeInteger(max))
      throw new KirokuError('InvalidArgument', `limit: "${limit}" is not a number`)
    return auditor.ask('search', {
      filter: q,
      ...(max === undefined ? {} : { limit: max }),
      ...(cursor === undefined ? {} : { cursor }),
    })
  },
  history: async (asked) => {
    if (auditor === undefined) throw new KirokuError('NoAuditor', 'this engine runs without an auditor')
    return auditor.ask('history', askedStretch(asked, Date.now()))
  },
  acts: async (asked) => {
    const filter = actFilter(asked, Date.now())
    return { acts: await askOrHere(auditor, 'acts', filter, () => actsOfLog(log, dataDir, filter)) }
  },
})
