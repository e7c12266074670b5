/** The first place that a condition holds for, by bisection; `length`: none. Where it holds for one, it holds for all behind it. */
export const firstPlace = (length: number, holds: (place: number) => boolean): number => {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
