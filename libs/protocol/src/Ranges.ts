/** Message numbers of one queue as pairs: first, count, first, count, … in the order of delivery. */
export type Ranges = number[]

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

/** The numbers that both name; both are in order. */
export const intersect = (a: Ranges, b: Ranges): Ranges => {
  const both: Ranges = []
  for (let i = 0, k = 0; i < a.length && k < b.length;) {
    const aEnd = a[i]! + a[i + 1]!
    const bEnd = b[k]! + b[k + 1]!
    const first = Math.max(a[i]!, b[k]!)
    const count = Math.min(aEnd, bEnd) - first
    if (count > 0) pushRange(both, first, count)
    if (aEnd <= bEnd) i += 2
    else k += 2
  }
  return both
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
