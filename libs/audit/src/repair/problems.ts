import type { ChainError, PartitionLog } from '@kiroku/log'
import type { Problem } from '../verify/VerifyReport.ts'

export const asProblem = ({ seq, id, message }: ChainError): Problem => ({ seq, id, message })

export const strayProblem = (
  log: PartitionLog,
  stray: readonly number[],
  unreadable: readonly number[],
  lastSeq: number,
): Problem | undefined => {
  const named = (seq: number, what: string, id: Problem['id'] = 'LogDamaged'): Problem => ({
    seq,
    id,
    message: `partition ${log.partition}, sequence ${seq}: ${what}`,
  })
  const [first] = [...stray].sort((a, b) => a - b)
  if (first !== undefined)
    return first > lastSeq
      ? named(
          lastSeq + 1,
          `the log ends at ${lastSeq}, but a checkpoint names record ${first}`,
          'LogShortened',
        )
      : named(first, 'this is not the record that a checkpoint names')
  const [bad] = unreadable
  return bad === undefined ? undefined : named(bad, 'the checkpoint cannot be read')
}

export const trimProblem = (log: PartitionLog, lastSeq: number): Problem => ({
  seq: lastSeq + 1,
  id: 'LogShortened',
  message: `partition ${log.partition}: bodies that are needed at ${lastSeq} are trimmed away; the log's end is gone`,
})
