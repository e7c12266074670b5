/** Runs `each` for 0 to `count` - 1, at most `window` at a time, in the order of their start. */
export const inParallel = async (
  count: number,
  window: number,
  each: (index: number) => Promise<unknown>,
): Promise<void> => {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < count) await each(next++)
  }
  await Promise.all(Array.from({ length: Math.min(window, count) }, lane))
}
