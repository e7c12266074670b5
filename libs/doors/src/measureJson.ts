/** Deepest nesting of arrays and objects: reading and writing JSON takes stack per level. */
export const jsonLevelsMax = 1_000

/** Most values of one text: parsing and checking them takes up to 3 µs each of the engine's loop. */
export const jsonValuesMax = 100_000

/** What parsing a text would take. */
export interface JsonMeasure {
  /** More than `jsonLevelsMax`: the text was measured no further. */
  readonly levels: number
  /** About: at most one per object or array too many. More than `jsonValuesMax`: as above. */
  readonly values: number
  /** Characters of the longest array or object that begins at the given level. */
  readonly longest: number
}

/**
 * Measures JSON without parsing it. For text that is not JSON the result says no more than how far it was read.
 *
 * @param level where `longest` looks; 1 is the whole text
 */
export const measureJson = (text: string, level = 1): JsonMeasure => {
  let [depth, levels, values, longest, start] = [0, 0, 1, 0, 0]
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i)
    if (character === quote) {
      i = endOfString(text, i)
      if (i < 0) break
    } else if (character === openArray || character === openObject) {
      if (++depth === level) start = i
      if (depth > levels) levels = depth
      if (++values > jsonValuesMax || depth > jsonLevelsMax) break
    } else if (character === closeArray || character === closeObject) {
      if (depth-- === level) longest = Math.max(longest, i + 1 - start)
    } else if (character === comma && ++values > jsonValuesMax) break
  }
  return { levels, values, longest }
}

/** Whether a text is JSON that takes too much to parse. */
export const isTooMuchJson = (text: string): boolean => {
  // One character of text cannot be more than one level or value.
  if (text.length <= jsonLevelsMax) return false
  const { levels, values } = measureJson(text)
  return levels > jsonLevelsMax || values > jsonValuesMax
}

const [quote, comma, backslash, openArray, openObject, closeArray, closeObject] = [
  0x22, 0x2c, 0x5c, 0x5b, 0x7b, 0x5d, 0x7d,
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
