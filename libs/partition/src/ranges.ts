import type { Ranges } from '@kiroku/message'

/** Numbers that ranges name. */
export const countOf = (ranges: Ranges): number => {
  let count = 0
  for (let i = 1; i < ranges.length; i += 2) count += ranges[i]!
  return count
}

/** Adds numbers to ranges that are built in order. */
export const pushRange = (ranges: Ranges, first: number, count: number): void => {
  const last = ranges.length - 2
  if (last >= 0 && ranges[last]! + ranges[last + 1]! === first) ranges[last + 1] = ranges[last + 1]! + count
  else ranges.push(first, count)
}

/** Index in ranges, which are in order, of the first that does not end before number `n`. */
export const rangeFrom = (ranges: Ranges, n: number): number => {
  let low = 0
  let high = ranges.length / 2
  while (low < high) {
    const middle = (low + high) >> 1
    if (ranges[2 * middle]! + ranges[2 * middle + 1]! <= n) low = middle + 1
    else high = middle
  }
  return 2 * low
}
