/** Deepest nesting of arrays and objects: reading and writing JSON takes stack per level. */
export const jsonLevelsMax = 1_000

/** Whether JSON goes deeper than `jsonLevelsMax`. For text that is not JSON the result is meaningless. */
export const isTooDeep = (text: string): boolean => {
  if (text.length <= jsonLevelsMax) return false
  let level = 0
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i)
    if (character === quote) {
      i = endOfString(text, i)
      if (i < 0) return false
    } else if (character === openArray || character === openObject) {
      if (++level > jsonLevelsMax) return true
    } else if (character === closeArray || character === closeObject) level--
  }
  return false
}

const [quote, backslash, openArray, closeArray, openObject, closeObject] = [
  0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d,
]

/** The end of the string that begins at `from`; -1: none. */
const endOfString = (text: string, from: number): number => {
  for (let end = text.indexOf('"', from + 1); end > 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++
    if (escapes % 2 === 0) return end
  }
  return -1
}
