/** What something resolves with, and how often others had their turn in the meantime. */
export const turnsDuring = async <A>(
  run: () => Promise<A>,
): Promise<{ readonly value: A; readonly turns: number }> => {
  let turns = 0
  const count = (): void => {
    turns++
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  try {
    return { value: await run(), turns }
  } finally {
    clearImmediate(next)
  }
}
