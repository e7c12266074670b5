import { join, resolve } from 'node:path'
import { readTailNotes } from '@kiroku/engine'
import type { Log } from '@kiroku/log'
import type { TailNote } from '@kiroku/audit'

/** The folder with the tail notes of a data folder's nodes. */
export const tailsFolder = (dataDir: string): string => join(resolve(dataDir), 'tails')

/** The tail notes of this data folder's nodes for a log. */
export const tailsOf = (dataDir: string, log: Log): TailNote[] =>
  readTailNotes(tailsFolder(dataDir)).filter(({ incarnation }) => incarnation === log.meta.incarnation)

/** Logs of this name that the nodes of this data folder wrote to, other than the current one. */
export const lostLogs = (dataDir: string, log: Pick<Log, 'meta'>): LostLog[] => {
  const lost = new Map<string, LostLog>()
  for (const { log: name, incarnation, seq } of readTailNotes(tailsFolder(dataDir))) {
    if (name !== log.meta.name || incarnation === log.meta.incarnation) continue
    const before = lost.get(incarnation)
    lost.set(incarnation, { incarnation, lastSeq: Math.max(seq, before?.lastSeq ?? 0) })
  }
  return [...lost.values()]
}

/** A log that is gone, and its highest known sequence. */
export interface LostLog {
  readonly incarnation: string
  readonly lastSeq: number
}
