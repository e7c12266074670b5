import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  auditFolder,
  isFollowed,
  lagOf,
  openKeptIndex,
  readInto,
  type AuditedLog,
  IndexWriter,
  openIndexToWrite,
  reachedOf,
  removeIndex,
  WriterLock,
} from '@kiroku/auditor'
import { formatBytes, KirokuError } from '@kiroku/protocol'
import { auditedLog } from '../../audit/auditedLog.ts'
import type { CommandModule, Invocation } from '../../cli/CommandSpec.ts'
import { columns } from '../../cli/columns.ts'
import { showProgress } from '../../cli/showProgress.ts'
import { withLog } from '../../serve/withLog.ts'

export const status: CommandModule = {
  run: (invocation) =>
    withLog(invocation, async (log) => {
      const { out } = invocation
      const { dataDir } = invocation.settings()
      const folder = auditFolder(resolve(dataDir), log.meta.incarnation)
      const index = openKeptIndex(auditedLog(log, dataDir))
      const partitions = await lagOf(log, index === undefined ? [] : reachedOf(index))
      index?.close()
      const file = join(folder, 'index.sqlite')
      const bytes = [file, `${file}-wal`].reduce(
        (sum, each) => sum + (existsSync(each) ? statSync(each).size : 0),
        0,
      )
      out.line(index === undefined ? `there is no index in ${folder}` : `${file} (${formatBytes(bytes)})`)
      const followed = isFollowed(folder)
      out.line(followed ? 'an auditor follows the log' : 'no auditor follows the log in this folder')
      out.line(
        columns([
          ['partition', 'read up to', 'log ends at', 'behind'],
          ...partitions.map((p) => [p.partition, p.seq, p.lastSeq, p.behind].map(String)),
        ]),
      )
      out.result({ folder, exists: index !== undefined, bytes, followed, partitions })
    }),
}

export const rebuild: CommandModule = {
  run: (invocation) =>
    withLog(invocation, (log) => rebuildOf(auditedLog(log, invocation.settings().dataDir), invocation)),
}

const rebuildOf = async (audited: AuditedLog, invocation: Invocation): Promise<void> => {
  const { out } = invocation
  const folder = auditFolder(audited.dataDir, audited.log.meta.incarnation)
  const lock = WriterLock.take(folder)
  if (lock === undefined)
    throw new KirokuError(
      'Busy',
      `the auditor of an engine writes the index in ${folder}; stop that engine first, or start it with --audit off`,
    )
  const beganMs = performance.now()
  const progress = showProgress()
  try {
    removeIndex(folder)
    const writer = new IndexWriter(openIndexToWrite(folder))
    try {
      const events = await readInto(writer, audited, progress.onProgress)
      progress.done()
      const seconds = (performance.now() - beganMs) / 1_000
      const rate = Math.round(events / seconds)
      out.line(`${events} changes of messages were read in ${seconds.toFixed(1)} s (${rate}/s)`)
      out.result({ folder, events, seconds, rate, reached: reachedOf(writer.database) })
    } finally {
      writer.close()
    }
  } finally {
    progress.done()
    lock.release()
  }
}
