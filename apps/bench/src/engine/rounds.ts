import { median } from '../Figure.ts'

/** One side of a comparison: does a number of lives and resolves when all are done. */
export interface Side {
  readonly name: string
  readonly count: number
  readonly run: () => Promise<unknown>
  /** Makes ready for a round; not measured. */
  readonly before?: () => Promise<unknown>
  /** Brings things in order after a round; not measured. */
  readonly after?: () => Promise<unknown>
}

/** What the rounds gave: medians. */
export interface Compared {
  /** By side, per second. */
  readonly rates: readonly number[]
  /** First side over each other one, round by round; the first is 1. */
  readonly ratios: readonly number[]
}

/**
 * Runs all sides alternately, round after round, so that disturbances of the machine affect all, and every other
 * round in the opposite order, so that no side always follows the same one; the first round only warms up.
 */
export const compare = async (
  rounds: number,
  sides: readonly Side[],
  told: (text: string) => void,
): Promise<Compared> => {
  const measured: number[][] = sides.map(() => [])
  const order = [...sides.entries()]
  for (let round = 0; round <= rounds; round++, order.reverse())
    for (const [i, { name, count, before, run, after }] of order) {
      told(`${name}, ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}`)
      await before?.()
      const startMs = performance.now()
      await run()
      if (round > 0) measured[i]!.push((count / (performance.now() - startMs)) * 1_000)
      await after?.()
    }
  const first = measured[0]!
  return {
    rates: measured.map(median),
    ratios: measured.map((side) => median(side.map((rate, round) => first[round]! / rate))),
  }
}
