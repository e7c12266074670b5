/** A checkpoint that is stored. */
export interface StoredCheckpoint {
  readonly seq: number
  /** Partition time of its state. */
  readonly at: number
  readonly bytes: number
}

/** The limits of thinning. */
export interface ThinningLimits {
  readonly recordMs: number
  /** Bytes that all of them may have together; beyond, only what recovery needs stays. */
  readonly bytesMax: number
  /** Records that repairs gave up: a checkpoint among them is the only way across. */
  readonly givenUp?: readonly { readonly from: number; readonly upTo: number }[]
}

/** Parts into which checkpoints divide the record, about: it is trimmed to one of them, so it may grow one part longer than its age. */
const steps = 8

/**
 * Which of the checkpoints, oldest first, stay: the oldest, since it is the state at the record's beginning; the last
 * two, which recovery needs; those where a repair gave records up; and between them enough for trimming by age.
 */
export const thin = <C extends StoredCheckpoint>(
  checkpoints: readonly C[],
  { recordMs, bytesMax, givenUp = [] }: ThinningLimits,
): C[] => {
  const stepMs = Math.max(recordMs, checkpoints.at(-1)!.at - checkpoints[0]!.at) / steps
  const stay = (gapMs: number): C[] => {
    const kept: C[] = []
    for (const [i, each] of checkpoints.entries()) {
      const next = checkpoints[i + 1]
      const isBridge = givenUp.some(({ from, upTo }) => from <= each.seq && each.seq <= upTo)
      const isNeeded = i === 0 || i >= checkpoints.length - 2 || isBridge
      if (isNeeded || next!.at - kept.at(-1)!.at > gapMs) kept.push(each)
    }
    return kept
  }
  const thinned = stay(stepMs)
  return bytesOf(thinned) <= bytesMax ? thinned : stay(Infinity)
}

export const bytesOf = (checkpoints: readonly StoredCheckpoint[]): number =>
  checkpoints.reduce((sum, { bytes }) => sum + bytes, 0)
