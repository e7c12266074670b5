/** One measured figure and its target. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** As a person reads it, like `≥ 20`; null for a figure that only informs. */
  readonly target: string | null
  /** Null where there is no target. */
  readonly met: boolean | null
  /** How far its rounds lie apart, in percent of it, where that stayed large when it was measured again. */
  readonly spread?: number
}

/** A figure that should reach at least `target`. */
export const atLeast = (name: string, value: number, unit: string, target: number): Figure => ({
  name,
  value: rounded(value),
  unit,
  target: `≥ ${target}`,
  met: value >= target,
})

/** A figure that should not exceed `target`. */
export const atMost = (name: string, value: number, unit: string, target: number): Figure => ({
  name,
  value: rounded(value),
  unit,
  target: `≤ ${target}`,
  met: value <= target,
})

/** A figure for orientation, without a target. */
export const informs = (name: string, value: number, unit: string): Figure => ({
  name,
  value: rounded(value),
  unit,
  target: null,
  met: null,
})

/** The middle value; of an even number, the mean of the two in the middle. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** How far the middle half of the values lies apart, over the median. */
export const spreadOf = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number): number => {
    const place = share * (sorted.length - 1)
    const [low, high] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!]
    return low + (high - low) * (place % 1)
  }
  return (at(0.75) - at(0.25)) / at(0.5)
}

const rounded = (value: number): number => Number(value.toPrecision(4))
