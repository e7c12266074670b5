import type { Log, PartitionLog } from '@kiroku/log'
import type { PartitionState } from '@kiroku/partition'
import { KirokuError } from '@kiroku/protocol'
import { openPartition } from '../replay/openPartition.ts'
import { ForwardLedger } from './ForwardLedger.ts'
import { MachineCheck } from './MachineCheck.ts'
import { checkProof } from './Proof.ts'
import type { VerifyOptions } from './VerifyOptions.ts'
import type { PartitionReport, Problem, Totals, VerifyReport } from './VerifyReport.ts'
import { checkKeys } from './checkKeys.ts'
import { verifyPartition, type PartitionResult } from './verifyPartition.ts'

/**
 * Reads the whole record and checks everything that is promised of it: the chain of hashes, checksums,
 * bodies, epochs, the law on every event, checkpoints against the replay, dead letters at both ends, and that
 * every message is live or final. Changes nothing; may run alongside a live engine, and then covers what was
 * stored at its start. Errors: `InvalidArgument` (a proof of another log), and what reading the log throws.
 * Damage is not an error; the report has it.
 */
export const verify = async (log: Log, options: VerifyOptions): Promise<VerifyReport> => {
  if (options.against !== undefined) checkProof(log, options.against)
  const partitions = options.partitions ?? Array.from({ length: log.meta.partitions }, (_, n) => n)
  const handles: PartitionLog[] = []
  const missing: PartitionReport[] = []
  try {
    for (const n of partitions) {
      if (!(n >= 0 && n < log.meta.partitions))
        throw new KirokuError('InvalidArgument', `log ${log.meta.name} has no partition ${n}`)
      const { handle, problem } = await openPartition(log, n)
      if (handle === undefined) missing.push(missingReport(n, problem))
      else handles.push(handle)
    }
    const { report: read, states } = await verifyAll(handles, options)
    const all = [...read.partitions, ...missing].sort((a, b) => a.partition - b.partition)
    const report = { ...read, ok: read.ok && missing.length === 0, partitions: all }
    if (missing.length > 0 || options.partitions !== undefined || !states.some(hasErasable)) return report
    const keys = await checkKeys(log)
    return { ...report, ok: report.ok && keys.problems.length === 0, keys }
  } finally {
    for (const handle of handles) await handle.close()
  }
}

/** The report of a partition that the store does not have. */
const missingReport = (partition: number, problem: Problem): PartitionReport => ({
  partition,
  firstSeq: 0,
  lastSeq: 0,
  fromSeq: 0,
  frames: 0,
  events: 0,
  transitions: 0,
  ok: false,
  problem,
  foreign: 0,
  repaired: [],
  checkpoints: 0,
  head: '',
})

/** Retries when a partition's engine trims what was about to be read. */
const trimmedTriesMax = 3

const trimmedMeanwhile = async (log: PartitionLog, { report }: PartitionResult): Promise<boolean> =>
  report.problem !== undefined && report.problem.seq < (await log.state()).firstSeq

/** Whether there are, or were, messages that may be encrypted. */
const hasErasable = ({ queues, nextErasure }: PartitionState): boolean =>
  nextErasure > 1 || [...queues.values()].some(({ config }) => config.erasable !== 'none')

const verifyAll = async (
  logs: readonly PartitionLog[],
  options: VerifyOptions,
): Promise<{ report: VerifyReport; states: PartitionState[] }> => {
  const law = new MachineCheck(options.deep ?? false)
  const forwards = new ForwardLedger()
  // What one partition recorded about another is stored there by the second round.
  const settledSeq = new Map<number, number>()
  const checkpoints = new Map<number, number[]>()
  for (const log of logs) {
    settledSeq.set(log.partition, (await log.state()).lastSeq)
    checkpoints.set(log.partition, await log.checkpoints.list())
  }
  const results: PartitionResult[] = []
  let eventsBefore = 0
  for (const log of logs) {
    const begin = async (checkpointSeqs: readonly number[]): Promise<PartitionResult> => {
      const { firstSeq, lastSeq } = await log.state()
      return verifyPartition({
        log,
        firstSeq,
        lastSeq,
        checkpoints: checkpointSeqs,
        tail: options.tails?.find(({ partition }) => partition === log.partition),
        decodeCheckpoint: options.decodeCheckpoint,
        law,
        forwards,
        pause: options.pause,
        proof: options.against?.partitions.find(({ partition }) => partition === log.partition),
        witnesses: options.witnesses ?? [],
        onRecord: (seq, events) =>
          options.onProgress?.({ partition: log.partition, seq, lastSeq, events: eventsBefore + events }),
      })
    }
    let result = await begin(checkpoints.get(log.partition)!)
    for (let tries = 1; tries < trimmedTriesMax && (await trimmedMeanwhile(log, result)); tries++)
      result = await begin(await log.checkpoints.list())
    eventsBefore += result.report.events
    results.push(result)
  }
  const reports = withForwards(results, forwards, settledSeq)
  return {
    report: {
      ok: reports.every(({ ok }) => ok),
      partitions: reports,
      totals: totalsOf(reports, results),
      kinds: law.kinds,
    },
    states: results.map(({ state }) => state),
  }
}

/** The reports, with problems between partitions where there were none within. */
const withForwards = (
  results: readonly PartitionResult[],
  forwards: ForwardLedger,
  settledSeq: ReadonlyMap<number, number>,
): PartitionReport[] => {
  const read = new Set(results.map(({ report }) => report.partition))
  const problems = forwards.problems(read, settledSeq)
  return results.map(({ report }) => {
    const own = problems
      .filter(({ partition }) => partition === report.partition)
      .sort((a, b) => a.seq - b.seq)[0]
    if (own === undefined || report.problem !== undefined) return report
    return { ...report, ok: false, problem: { seq: own.seq, id: 'LogDamaged', message: own.message } }
  })
}

const totalsOf = (reports: readonly PartitionReport[], results: readonly PartitionResult[]): Totals => {
  const totals = {
    frames: 0,
    events: 0,
    transitions: 0,
    sent: 0,
    live: 0,
    committed: 0,
    deadLettered: 0,
    discarded: 0,
  }
  for (const { frames, events, transitions } of reports) {
    totals.frames += frames
    totals.events += events
    totals.transitions += transitions
  }
  for (const { state } of results) addQueues(totals, state)
  return totals
}

const addQueues = (totals: { -readonly [K in keyof Totals]: Totals[K] }, state: PartitionState): void => {
  for (const { sent, delayed, subs } of state.queues.values()) {
    totals.sent += sent
    totals.live += delayed
    for (const sub of subs) {
      totals.live += sub.live
      totals.committed += sub.committed
      totals.deadLettered += sub.deadLettered
      totals.discarded += sub.discarded
    }
  }
}
