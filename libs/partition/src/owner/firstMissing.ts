import type { PartitionState } from '../state/PartitionState.ts'

/**
 * The first record that is not there although neither a trim nor a repair accounts for it.
 * @param firstSeq the first sequence that the log holds
 * @param holes sequences behind it that the log does not hold, in order
 */
export const firstMissing = (
  { trimmedTo, givenUp }: Pick<PartitionState, 'trimmedTo' | 'givenUp'>,
  firstSeq: number,
  holes: readonly number[],
): number | undefined => {
  const given = (seq: number) => givenUp.find(({ from, upTo }) => from <= seq && seq <= upTo)
  let next = trimmedTo + 1
  for (let range = given(next); range !== undefined; range = given(next)) next = range.upTo + 1
  if (next < firstSeq) return next
  return holes.find((seq) => seq > trimmedTo && given(seq) === undefined)
}
