import { verify, type PartitionReport } from '@kiroku/audit'
import { decodeCheckpoint } from '@kiroku/engine'
import { errorRegistry } from '@kiroku/message'
import { showProgress } from '../audit/showProgress.ts'
import { columns } from '../cli/columns.ts'
import type { Invocation } from '../cli/CommandSpec.ts'
import { withLog } from '../serve/withLog.ts'

export const run = async (invocation: Invocation): Promise<void> => {
  const { flag, out } = invocation
  const progress = showProgress()
  const report = await withLog(invocation, (log) =>
    verify(log, { decodeCheckpoint, deep: flag('deep'), onProgress: progress.onProgress }),
  ).finally(progress.done)
  const { totals, partitions } = report
  const head = ['partition', 'records', 'frames', 'events', 'transitions', 'checkpoints', 'foreign', 'result']
  out.line(columns([head, ...partitions.map(rowOf)]))
  for (const { partition, repaired } of partitions)
    for (const { from, upTo, note, by } of repaired)
      out.line(`partition ${partition} was repaired (records ${from} to ${upTo}) by ${by.name}: ${note}`)
  out.line()
  out.line(
    `sent ${totals.sent} = live ${totals.live} + committed ${totals.committed} + dead-lettered ${totals.deadLettered} + discarded ${totals.discarded}`,
  )
  out.line(
    report.ok
      ? 'The record is whole, and every step obeys the law.'
      : 'The record is DAMAGED: `kiroku repair` shows what is lost.',
  )
  out.result(report)
  if (!report.ok) process.exitCode = errorRegistry.LogDamaged.exit
}

const rowOf = (p: PartitionReport): string[] => [
  String(p.partition),
  `${p.firstSeq}–${p.lastSeq}`,
  ...[p.frames, p.events, p.transitions, p.checkpoints, p.foreign].map(String),
  p.problem === undefined ? 'ok' : `${p.problem.id} at ${p.problem.seq}: ${p.problem.message}`,
]
