import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import type { Answering, SearchAnswer } from '@kiroku/audit'
import { askAuditor, type IndexLag, lagOf, openIndex, searchIndex } from '@kiroku/auditor'
import type { Log } from '@kiroku/log'
import { isKirokuError } from '@kiroku/protocol'
import { auditorBus } from '../auditor/auditorBus.ts'
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

/** Searches the record. */
export interface RecordSearch {
  readonly search: Answering<'search'>['search']
  /** A line for each partition of which an answer lacks what was in the log at the beginning. */
  readonly lacks: (answer: SearchAnswer) => string[]
}

/**
 * Searches for a command: asks the auditor of the log, which may have to catch up first. Where no engine runs one, the index
 * in the data folder answers as it is, and where there is none, the whole record is read into one in memory, with its
 * progress on the terminal. Errors: those of reading the log.
 */
export const searchRecord = async <A>(
  { settings }: Pick<Invocation, 'settings'>,
  { log, nats, patienceMs }: SearchedRecord,
  act: (record: RecordSearch) => Promise<A>,
): Promise<A> => {
  const untilMs = performance.now() + patienceMs
  const ends = await lagOf(log, [])
  const lagsOf = ({ reached }: SearchAnswer): IndexLag[] =>
    ends.flatMap((end) => {
      const seq = reached.find(({ partition }) => partition === end.partition)?.seq ?? 0
      return seq < end.lastSeq ? [{ ...end, seq, behind: end.lastSeq - seq }] : []
    })
  const asker = { principal: 'command line' }
  const ask = askAuditor(auditorBus(nats, log.meta.name))
  const askUntilCurrent: RecordSearch['search'] = async (asked) => {
    let answer = await ask('search', asked, asker)
    while (lagsOf(answer).length > 0 && performance.now() < untilMs) {
      await pause(lookMs)
      answer = await ask('search', asked, asker)
    }
    return answer
  }
  let index: DatabaseSync | undefined
  const search: RecordSearch['search'] = async (asked) => {
    if (index === undefined)
      try {
        return await askUntilCurrent(asked)
      } catch (error) {
        if (!isKirokuError(error) || error.id !== 'NoAuditor') throw error
        const progress = showProgress()
        const opening = openIndex(auditedLog(log, settings().dataDir), progress.onProgress)
        index = (await opening.finally(progress.done)).database
      }
    const { filter, ...options } = asked
    return searchIndex(index, filter, { incarnation: log.meta.incarnation, ...options })
  }
  try {
    return await act({ search, lacks: (answer) => lagsOf(answer).map(describeLag) })
  } finally {
    index?.close()
  }
}

const describeLag = ({ partition, seq, behind }: IndexLag): string =>
  `partition ${partition}: read up to ${seq}, ${behind} records behind its log`
