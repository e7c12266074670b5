/**
 * How many messages waited at the end of each of the last whole seconds, counted back from what waits now.
 * `unfinished` is by how much they grew in the current second, `growth` in each one before it, oldest first.
 */
export const backlogSeries = (
  waiting: number,
  unfinished: number,
  growth: readonly (number | undefined)[],
): (number | undefined)[] => {
  let at = waiting - unfinished
  return growth
    .toReversed()
    .map((grew) => {
      const value = grew === undefined ? undefined : Math.max(0, at)
      at -= grew ?? 0
      return value
    })
    .toReversed()
}
