/** The name most likely meant: the one with the fewest typing errors, if they are few or it goes on where `typed` ends. */
export const nearest = (typed: string, names: readonly string[]): string | undefined => {
  const errorsMax = Math.max(1, Math.floor(typed.length / 3))
  let best: { name: string; errors: number } | undefined
  for (const name of names) {
    const [one, other] = [typed.toLowerCase(), name.toLowerCase()]
    const errors = typingErrors(one, other)
    const isLikely = errors <= errorsMax || (one.length >= beginningMin && other.startsWith(one))
    if (isLikely && errors < (best?.errors ?? Infinity)) best = { name, errors }
  }
  return best?.name
}

/** What there is in place of an unknown name, to be read behind it: `. Did you mean "retry"?`, else all names. */
export const instead = (typed: string, names: readonly string[]): string => {
  const meant = nearest(typed, names)
  if (meant !== undefined) return `. Did you mean "${meant}"?`
  if (names.length === 0) return ''
  return `; there ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}`
}

/** Letters from which on the beginning of a name stands for it. */
const beginningMin = 3

/** Letters that are missing, superfluous, wrong, or swapped with their neighbour. */
const typingErrors = (a: string, b: string): number => {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(
        Math.min(
          last[j]! + 1,
          row[j - 1]! + 1,
          last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1),
          isSwapped ? before[j - 2]! + 1 : Infinity,
        ),
      )
    }
    before = last
    last = row
  }
  return last[b.length]!
}
