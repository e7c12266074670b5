import { join, resolve } from 'node:path'
import { readTailNotes } from '@kiroku/engine'
import type { Log } from '@kiroku/log'
import type { TailNote } from '@kiroku/audit'

/** Where the nodes of a data folder note the ends of the logs that they saw. */
export const tailsFolder = (dataDir: string): string => join(resolve(dataDir), 'tails')

/** What the nodes of this data folder noted of a log's ends. */
export const tailsOf = (dataDir: string, log: Log): TailNote[] =>
  readTailNotes(tailsFolder(dataDir)).filter(({ incarnation }) => incarnation === log.meta.incarnation)

/** Logs of this name that the nodes of this data folder wrote to, and that are not the one which is there now. */
export const lostLogs = (dataDir: string, log: Pick<Log, 'meta'>): LostLog[] => {
  const lost = new Map<string, LostLog>()
  for (const { log: name, incarnation, seq } of readTailNotes(tailsFolder(dataDir))) {
    if (name !== log.meta.name || incarnation === log.meta.incarnation) continue
    const before = lost.get(incarnation)
    lost.set(incarnation, { incarnation, lastSeq: Math.max(seq, before?.lastSeq ?? 0) })
  }
  return [...lost.values()]
}

/** A log that is gone, and the highest sequence that is known of it. */
export interface LostLog {
  readonly incarnation: string
  readonly lastSeq: number
}
