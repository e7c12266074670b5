/** A line that was kept, removed or added. */
export interface DiffLine {
  readonly kind: 'same' | 'gone' | 'new'
  readonly text: string
}

/** Beyond this many pairs of lines, the middle is shown as removed and added without a comparison. */
const pairsMax = 1_000_000

/** What changes from one text to another, line by line. */
export const lineDiff = (before: string, after: string): DiffLine[] => {
  const [a, b] = [before.split('\n'), after.split('\n')]
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head++
  let tail = 0
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++
  const same = (text: string): DiffLine => ({ kind: 'same', text })
  return [
    ...a.slice(0, head).map(same),
    ...middleOf(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...a.slice(a.length - tail).map(same),
  ]
}

const middleOf = (a: readonly string[], b: readonly string[]): DiffLine[] => {
  const gone = (text: string): DiffLine => ({ kind: 'gone', text })
  const come = (text: string): DiffLine => ({ kind: 'new', text })
  if (a.length * b.length > pairsMax) return [...a.map(gone), ...b.map(come)]
  // longest[i][j]: how many lines the rests from i and j have in common, in order.
  const longest = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1))
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i]![j] =
        a[i] === b[j] ? longest[i + 1]![j + 1]! + 1 : Math.max(longest[i + 1]![j]!, longest[i]![j + 1]!)
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i++]! })
      j++
    } else if (j >= b.length || (i < a.length && longest[i + 1]![j]! >= longest[i]![j + 1]!))
      lines.push(gone(a[i++]!))
    else lines.push(come(b[j++]!))
  }
  return lines
}
