/** Message numbers of one queue as pairs: first, count, first, count, … in the order of delivery. */
export type Ranges = number[]

/** How many numbers the ranges hold. */
export const rangeTotal = (ranges: Readonly<Ranges>): number => {
  let count = 0
  for (let i = 1; i < ranges.length; i += 2) count += ranges[i]!
  return count
}

/** Adds `count` numbers from `first`, joined to the last range where they follow it. */
export const pushRange = (ranges: Ranges, first: number, count: number): void => {
  const last = ranges.length - 2
  if (last >= 0 && ranges[last]! + ranges[last + 1]! === first) ranges[last + 1] = ranges[last + 1]! + count
  else ranges.push(first, count)
}

/** Adds one number, joined to the last range where it follows it. */
export const pushNumber = (ranges: Ranges, n: number): void => pushRange(ranges, n, 1)

/** The numbers that both hold; both are in order. */
export const intersectRanges = (a: Ranges, b: Ranges): Ranges => {
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

/** Calls `visit` for each number. */
export const eachNumber = (ranges: Readonly<Ranges>, visit: (n: number) => void): void => {
  for (let i = 0; i < ranges.length; i += 2)
    for (let n = ranges[i]!, end = n + ranges[i + 1]!; n < end; n++) visit(n)
}

/** Every number of the ranges, in their order. */
export const rangeNumbers = (ranges: Readonly<Ranges>): number[] => {
  const numbers: number[] = []
  eachNumber(ranges, (n) => numbers.push(n))
  return numbers
}

/** Whether a number lies in the ranges. */
export const rangesInclude = (ranges: Readonly<Ranges>, n: number): boolean => indexInRanges(ranges, n) >= 0

/** The position of `n` among the numbers of the ranges, or -1. */
export const indexInRanges = (ranges: Readonly<Ranges>, n: number): number => {
  let before = 0
  for (let i = 0; i < ranges.length; i += 2) {
    const first = ranges[i]!
    const count = ranges[i + 1]!
    if (n >= first && n < first + count) return before + n - first
    before += count
  }
  return -1
}

/** Whether a number is named more than once. */
export const rangesOverlap = (ranges: Readonly<Ranges>): boolean => {
  const spans: [number, number][] = []
  for (let i = 0; i < ranges.length; i += 2) spans.push([ranges[i]!, ranges[i]! + ranges[i + 1]!])
  spans.sort((a, b) => a[0] - b[0])
  for (let i = 1; i < spans.length; i++) if (spans[i]![0] < spans[i - 1]![1]) return true
  return false
}

/** Whether the numbers grow from first to last. */
export const rangesInOrder = (ranges: Readonly<Ranges>): boolean => {
  for (let i = 2; i < ranges.length; i += 2) if (ranges[i]! < ranges[i - 2]! + ranges[i - 1]!) return false
  return true
}
