import type { Ranges } from '@kiroku/protocol'

/** Adds `count` numbers from `first`, joined to the last range where they follow it. */
export const addRange = (ranges: Ranges, first: number, count: number): void => {
  const last = ranges.length - 2
  if (last >= 0 && ranges[last]! + ranges[last + 1]! === first) ranges[last + 1]! += count
  else ranges.push(first, count)
}

/** How many numbers the ranges hold. */
export const rangeTotal = (ranges: Readonly<Ranges>): number => {
  let total = 0
  for (let i = 1; i < ranges.length; i += 2) total += ranges[i]!
  return total
}

/** Whether a number lies in the ranges. */
export const rangesInclude = (ranges: Readonly<Ranges>, number: number): boolean => {
  for (let i = 0; i < ranges.length; i += 2)
    if (number >= ranges[i]! && number < ranges[i]! + ranges[i + 1]!) return true
  return false
}

/** Every number of the ranges, in their order. */
export const rangeNumbers = (ranges: Readonly<Ranges>): number[] => {
  const numbers: number[] = []
  for (let i = 0; i < ranges.length; i += 2)
    for (let k = 0; k < ranges[i + 1]!; k++) numbers.push(ranges[i]! + k)
  return numbers
}
