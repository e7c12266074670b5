import type { SearchSource } from '@kiroku/api'
import { actsOfLog, auditorOr, type AuditedLog, type RunningAuditor } from '@kiroku/auditor'
import { KirokuError } from '@kiroku/protocol'
import { actFilter } from '../audit/actFilter.ts'
import { askedStretch } from '../audit/askedStretch.ts'

/** Puts what the HTTP API is asked to the auditor; acts are read from the log where there is none. */
export const searchSource = (audited: AuditedLog, auditor: RunningAuditor | undefined): SearchSource => ({
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
    const { acts } = auditorOr(auditor, { acts: (asked) => actsOfLog(audited, asked) })
    return { acts: await acts(filter) }
  },
})
