import { ChainError, type Log, type PartitionLog } from '@kiroku/log'
import { firstMissing } from '@kiroku/partition'
import { openPartition } from '../replay/openPartition.ts'
import { TailCheck } from '../verify/TailNote.ts'
import type { Problem } from '../verify/VerifyReport.ts'
import type { RepairOptions } from './RepairPlan.ts'
import { readCheckpoints } from './checkpointsOf.ts'
import { asProblem, strayProblem } from './problems.ts'
import { including, standingIn, walk } from './walkChain.ts'

/** What was found in one partition's record. */
export interface RecordCheck {
  readonly partition: number
  readonly firstSeq: number
  readonly lastSeq: number
  /** The first record that was read; earlier ones were only counted. */
  readonly readFrom: number
  readonly problem?: Problem
}

/** How closely to look. */
export interface CheckRecordOptions extends RepairOptions {
  /** A partition with more bytes than this is read from its newest checkpoint on only. */
  readonly bytesMax: number
}

/**
 * Looks for damage without checking the law: missing records, the chain of hashes, checkpoints without their
 * record, lost ends that a node noted. Errors: what reading the log throws; damage is not an error.
 */
export const checkRecord = async (log: Log, options: CheckRecordOptions): Promise<RecordCheck[]> => {
  const checks: RecordCheck[] = []
  for (let n = 0; n < log.meta.partitions; n++) {
    const { handle: partition, problem } = await openPartition(log, n)
    if (partition === undefined) {
      checks.push({ partition: n, firstSeq: 0, lastSeq: 0, readFrom: 0, problem })
      continue
    }
    try {
      let check = await checkPartition(partition, options)
      for (let tries = 1; tries < trimmedTriesMax && (await isTrimmed(partition, check)); tries++)
        check = await checkPartition(partition, options)
      checks.push(check)
    } finally {
      await partition.close()
    }
  }
  return checks
}

/** Retries when a partition's engine trims what was about to be read. */
const trimmedTriesMax = 3

const isTrimmed = async (log: PartitionLog, { problem }: RecordCheck): Promise<boolean> =>
  problem !== undefined && problem.seq < (await log.state()).firstSeq

const checkPartition = async (
  log: PartitionLog,
  { decodeCheckpoint, tails = [], onProgress, bytesMax }: CheckRecordOptions,
): Promise<RecordCheck> => {
  const { partition } = log
  const tail = new TailCheck(tails.find((note) => note.partition === partition))
  const listed = await log.checkpoints.list()
  const { firstSeq, lastSeq, bytes, holes } = await log.state()
  const { checkpoints, unreadable } = await readCheckpoints(log, listed, decodeCheckpoint)
  const newest = Math.max(...[...checkpoints.keys()].filter((seq) => seq <= lastSeq))
  const begin = bytes > bytesMax ? checkpoints.get(newest) : undefined
  const readFrom = begin === undefined ? firstSeq : begin.seq + 1
  const seen = (problem: Problem | undefined): RecordCheck => ({
    partition,
    firstSeq,
    lastSeq,
    readFrom,
    ...(problem === undefined ? {} : { problem }),
  })
  const walked = await walk(log, lastSeq, checkpoints, { tail, begin, onProgress })
  if (walked.damage !== undefined) return seen(asProblem(walked.damage))
  const standing = standingIn(checkpoints, walked)
  const told = including(walked.told, begin === undefined ? standing : [begin, ...standing])
  const missing = firstMissing(told, firstSeq, holes === 0 ? [] : await log.holes())
  if (missing !== undefined)
    return seen(asProblem(new ChainError('LogDamaged', partition, missing, 'the record is missing')))
  const stray = [...checkpoints.keys()].filter((seq) => seq >= readFrom && !walked.standing.has(seq))
  const wrong = strayProblem(log, stray, unreadable, lastSeq)
  const lostEnd = tail.problem(readFrom, lastSeq, told.repairedEpoch)
  return seen(wrong ?? (lostEnd && asProblem(lostEnd)))
}
