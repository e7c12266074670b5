import type { Ranges } from '@kiroku/protocol'

/** How many numbers there are. */
export const total = (ranges: Ranges): number => {
  let count = 0
  for (let i = 1; i < ranges.length; i += 2) count += ranges[i]!
  return count
}

/** Calls `visit` for each number. */
export const forEach = (ranges: Ranges, visit: (n: number) => void): void => {
  for (let i = 0; i < ranges.length; i += 2)
    for (let n = ranges[i]!, end = n + ranges[i + 1]!; n < end; n++) visit(n)
}

/** Whether a number is named more than once. */
export const overlap = (ranges: Ranges): boolean => {
  const spans: [number, number][] = []
  for (let i = 0; i < ranges.length; i += 2) spans.push([ranges[i]!, ranges[i]! + ranges[i + 1]!])
  spans.sort((a, b) => a[0] - b[0])
  for (let i = 1; i < spans.length; i++) if (spans[i]![0] < spans[i - 1]![1]) return true
  return false
}

/** Whether the numbers grow from first to last. */
export const isInOrder = (ranges: Ranges): boolean => {
  for (let i = 2; i < ranges.length; i += 2) if (ranges[i]! < ranges[i - 2]! + ranges[i - 1]!) return false
  return true
}

/** The place of `n` among the numbers of the ranges, or -1. */
export const indexIn = (ranges: Ranges, n: number): number => {
  let before = 0
  for (let i = 0; i < ranges.length; i += 2) {
    const first = ranges[i]!
    const count = ranges[i + 1]!
    if (n >= first && n < first + count) return before + n - first
    before += count
  }
  return -1
}
