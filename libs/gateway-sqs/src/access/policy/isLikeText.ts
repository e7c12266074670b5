/** Whether a text is like a pattern, in which `*` stands for any characters and `?` for one. */
export const isLikeText = (pattern: string, text: string): boolean => {
  // The last `*` that was passed, and how far it reaches: going back to it alone keeps this linear per `*`.
  let star = -1
  let reached = 0
  let p = 0
  let t = 0
  while (t < text.length) {
    if (pattern[p] === '*') {
      star = p++
      reached = t
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) {
      p++
      t++
    } else {
      if (star < 0) return false
      p = star + 1
      t = ++reached
    }
  }
  while (pattern[p] === '*') p++
  return p === pattern.length
}
