import { setTimeout as pause } from 'node:timers/promises'
import type { Answering, Filter, RecordQuestions, SearchAnswer } from '@kiroku/audit'
import { type IndexLag, lagOf, openIndex, searchIndex } from '@kiroku/auditor'
import type { Log } from '@kiroku/log'
import { isKirokuError } from '@kiroku/protocol'
import { askRecord } from '../auditor/recordQuestions.ts'
import type { Invocation } from '../cli/CommandSpec.ts'
import { showProgress } from '../cli/showProgress.ts'
import type { Nats } from '../serve/describeCluster.ts'
import { auditedLog } from './auditedLog.ts'

/** How often an auditor that is behind is asked again, in ms. */
const lookMs = 50

/** Where a command searches. */
export interface SearchedRecord {
  readonly log: Log
  readonly nats: Nats
  /** How long an auditor may take to catch up with what is in the log now, in ms. */
  readonly patienceMs: number
}

/** Searches the record by one filter. */
export interface RecordSearch {
  readonly search: (asked: Omit<RecordQuestions['search']['asked'], 'filter'>) => Promise<SearchAnswer>
  /** The partitions of which what is in the log now is not found. */
  readonly lags: readonly IndexLag[]
}

/**
 * Searches for a command: asks the auditor of the log, which may have to catch up first. Where no engine runs one, the index
 * in the data folder answers as it is, and where there is none, the whole record is read into one in memory, with its
 * progress on the terminal. Errors: those of reading the log.
 */
export const searchRecord = async <A>(
  invocation: Pick<Invocation, 'settings'>,
  { log, nats, patienceMs }: SearchedRecord,
  filter: Filter,
  act: (record: RecordSearch) => Promise<A>,
): Promise<A> => {
  const untilMs = performance.now() + patienceMs
  const ends = await lagOf(log, [])
  const lagsBehind = ({ reached }: SearchAnswer): IndexLag[] =>
    ends.flatMap((end) => {
      const seq = reached.find(({ partition }) => partition === end.partition)?.seq ?? 0
      return seq < end.lastSeq ? [{ ...end, seq, behind: end.lastSeq - seq }] : []
    })
  const ask = askRecord(nats, log.meta.name)
  const first = (): Promise<SearchAnswer | undefined> => ask('search', { filter, limit: 1 }).catch(unlessNone)
  let answer = await first()
  while (answer !== undefined && lagsBehind(answer).length > 0 && performance.now() < untilMs) {
    await pause(lookMs)
    answer = await first()
  }
  if (answer !== undefined)
    return act({ search: (asked) => ask('search', { ...asked, filter }), lags: lagsBehind(answer) })
  return searchHere(invocation, log, async (search) =>
    act({
      search: (asked) => search({ ...asked, filter }),
      lags: lagsBehind(await search({ filter, limit: 1 })),
    }),
  )
}

const unlessNone = (error: unknown): undefined => {
  if (!isKirokuError(error) || error.id !== 'NoAuditor') throw error
}

/** Searches the index in the data folder, or one in memory. */
const searchHere = async <A>(
  { settings }: Pick<Invocation, 'settings'>,
  log: Log,
  act: (search: Answering<'search'>['search']) => Promise<A>,
): Promise<A> => {
  const progress = showProgress()
  const audited = auditedLog(log, settings().dataDir)
  const { database } = await openIndex(audited, progress.onProgress).finally(progress.done)
  try {
    return await act(({ filter, ...asked }) =>
      Promise.resolve(searchIndex(database, filter, { incarnation: log.meta.incarnation, ...asked })),
    )
  } finally {
    database.close()
  }
}

/** `partition 0: read up to 5, 3 records behind its log`. */
export const describeLag = ({ partition, seq, behind }: IndexLag): string =>
  `partition ${partition}: read up to ${seq}, ${behind} records behind its log`
