import type { DatabaseSync } from 'node:sqlite'
import type { Answering } from '@kiroku/audit'
import { KirokuError } from '@kiroku/protocol'
import type { AuditedLog } from './AuditedLog.ts'
import type { Pause } from './Shares.ts'
import { historyOf } from './history/historyOf.ts'
import { actsOfLog } from './index/actsOfLog.ts'
import { hidingNow } from './index/hidingNow.ts'
import { openKeptIndex } from './index/openIndex.ts'
import { searchIndex } from './index/searchIndex.ts'
import { traceMessage } from './index/traceMessage.ts'
import { answerPast } from './past/answerPast.ts'
import { pastOptions } from './past/pastOptions.ts'

/**
 * Answers questions from the index, if they need one, and from the log.
 *
 * @param isFollowed whether the index keeps up with a partition
 * @param pause called between two pieces of an answer
 */
export const answersOf = (
  audited: AuditedLog,
  isFollowed: (partition: number) => boolean,
  pause: Pause,
): Answering => {
  const { log } = audited
  const reading = async <A>(act: (database: DatabaseSync) => A | Promise<A>): Promise<A> => {
    const database = openKeptIndex(audited)
    if (database === undefined) throw new KirokuError('NoAuditor', 'the auditor has just started')
    try {
      return await act(database)
    } finally {
      database.close()
    }
  }
  return {
    search: ({ filter, limit, cursor, asOperator = false, grants }) =>
      reading((database) =>
        searchIndex(database, filter, {
          incarnation: log.meta.incarnation,
          asOperator,
          pause,
          ...(grants === undefined ? {} : { grants }),
          ...(limit === undefined ? {} : { limit }),
          ...(cursor === undefined ? {} : { cursor }),
        }),
      ),
    acts: (filter) => actsOfLog(audited, filter),
    history: (asked) => reading((database) => historyOf(log, database, asked, isFollowed)),
    trace: ({ messageId, asOperator = false }) => traceMessage(audited, messageId, { asOperator }),
    ...answerPast(
      log,
      () => pastOptions(audited, { pause }),
      () => hidingNow(audited),
    ),
  }
}
