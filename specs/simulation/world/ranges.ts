import type { Ranges } from '@kiroku/protocol'

/** Every number of ranges. */
export function* each(ranges: Readonly<Ranges>): Iterable<number> {
  for (let i = 0; i < ranges.length; i += 2)
    for (let n = ranges[i]!, end = n + ranges[i + 1]!; n < end; n++) yield n
}

/** Whether ranges have a number. */
export const isAmong = (ranges: Ranges, number: number): boolean =>
  ranges.some((first, i) => i % 2 === 0 && first <= number && number < first + ranges[i + 1]!)

/** How many numbers they have. */
export const total = (ranges: Ranges): number => {
  let count = 0
  for (let i = 1; i < ranges.length; i += 2) count += ranges[i]!
  return count
}
