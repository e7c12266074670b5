import {
  parseProof,
  proofOf,
  renderProof,
  verify,
  type PartitionReport,
  type Problem,
  type WitnessReport,
} from '@kiroku/audit'
import { anchorWitnesses, keptWitnesses } from '@kiroku/auditor'
import { decodeCheckpoint } from '@kiroku/engine'
import { errorRegistry, KirokuError } from '@kiroku/protocol'
import { auditedLog } from '../../audit/auditedLog.ts'
import { tailsOf } from '../../audit/tailsOf.ts'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { columns } from '../../cli/columns.ts'
import { gentle } from '../../cli/gentle.ts'
import { showProgress } from '../../cli/showProgress.ts'
import { withLog } from '../../serve/withLog.ts'
import { readText, writeText } from './textFile.ts'

export const run = async (invocation: Invocation): Promise<void> => {
  const { flag, text, out } = invocation
  const against = text('against') === undefined ? undefined : parseProof(await readText(text('against')!))
  const [anchors, key] = [await given(text('anchors')), await given(text('key'))]
  if (key !== undefined && anchors === undefined)
    throw new KirokuError(
      'InvalidArgument',
      '--key checks the signatures of anchors: name their file with --anchors',
    )
  const progress = showProgress()
  const throttle = gentle(invocation)
  const beganMs = performance.now()
  const { report, proof } = await withLog(invocation, async (log) => {
    const audited = auditedLog(log, invocation.settings().dataDir)
    const report = await verify(log, {
      decodeCheckpoint,
      witnesses: [
        ...(await keptWitnesses(audited)),
        ...(anchors === undefined ? [] : anchorWitnesses(log, anchors, key)),
      ],
      deep: flag('deep'),
      ...(throttle === undefined ? {} : { pause: () => throttle.pause() }),
      tails: tailsOf(invocation.settings().dataDir, log),
      onProgress: progress.onProgress,
      ...(against === undefined ? {} : { against }),
    })
    return { report, proof: report.ok ? proofOf(log, report, Date.now()) : undefined }
  }).finally(progress.done)
  const seconds = (performance.now() - beganMs) / 1_000
  const { totals, partitions } = report
  const head = ['partition', 'records', 'frames', 'events', 'transitions', 'checkpoints', 'foreign', 'result']
  out.line(columns([head, ...partitions.map(rowOf)]))
  for (const { partition, repaired } of partitions)
    for (const { from, upTo, note, by } of repaired)
      out.line(`partition ${partition} was repaired (records ${from} to ${upTo}) by ${by.name}: ${note}`)
  for (const { partition, sinceProof } of partitions)
    if (sinceProof !== undefined)
      out.line(`partition ${partition} since the proof: ${sinceProof.result}; ${sinceProof.message}`)
  for (const { partition, witnesses } of partitions)
    if (witnesses !== undefined) out.line(witnessText(partition, witnesses))
  for (const { message } of report.keys?.problems ?? []) out.line(message)
  out.line()
  out.line(
    `sent ${totals.sent} = live ${totals.live} + committed ${totals.committed} + dead-lettered ${totals.deadLettered} + discarded ${totals.discarded}`,
  )
  out.line(
    report.ok
      ? 'The record is intact, and every event obeys the state machine.'
      : partitions.some(({ problem }) => problem !== undefined)
        ? 'The record is DAMAGED: `kiroku repair` shows what is lost.'
        : report.keys?.problems.length
          ? 'The record is intact, but the keys of its erasable queues are NOT.'
          : 'The record is NOT the one that it was: it was rewritten, by the rules.',
  )
  // Of a short record the rate would say how long it took to connect.
  if (totals.transitions >= rateFrom)
    out.line(
      `${totals.transitions.toLocaleString('en')} changes of messages in ${seconds.toFixed(1)} s, ${Math.round(totals.transitions / seconds).toLocaleString('en')} per second`,
    )
  const file = text('export')
  if (file !== undefined && proof !== undefined) {
    await writeText(file, renderProof(proof))
    out.line(`The proof is in ${file}; keep it where no one who can write the log can change it.`)
  }
  out.result(report)
  if (!report.ok) process.exitCode = errorRegistry.LogDamaged.exit
}

const given = async (file: string | undefined): Promise<string | undefined> =>
  file === undefined ? undefined : readText(file)

const witnessText = (partition: number, { agreed, silent, upTo, contradiction }: WitnessReport): string =>
  contradiction === undefined
    ? `partition ${partition}: ${agreed} witnesses agree up to record ${upTo}${silent === 0 ? '' : `, ${silent} can say nothing`}`
    : `partition ${partition} is NOT as it was: ${contradiction.message}`

/** Fewest changes of messages for which the rate is shown. */
const rateFrom = 10_000

/** Without a sequence if there is none: the store does not have the partition. */
const placedProblem = ({ id, seq, message }: Problem): string =>
  seq === 0 ? `${id}: ${message}` : `${id} at ${seq}: ${message}`

const rowOf = (p: PartitionReport): string[] => [
  String(p.partition),
  `${p.firstSeq}–${p.lastSeq}`,
  ...[p.frames, p.events, p.transitions, p.checkpoints, p.foreign].map(String),
  p.problem === undefined ? 'ok' : placedProblem(p.problem),
]
