/** Errors that differ only in what they name, as one. */
export interface Fingerprint {
  /** 14 hex digits: the same for every error of this form, on every machine. */
  readonly id: string
  /** The error with `<n>`, `<hex>`, `<uuid>` and `<text>` in place of what varies, in at most 300 characters. */
  readonly form: string
}

const formCharactersMax = 300

const variable: readonly (readonly [RegExp, string])[] = [
  [/"(?:[^"\\]|\\.)*"|`[^`]*`|(?<![\w'])'(?:[^'\\]|\\.)*'(?!\w)/g, '<text>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<uuid>'],
  [/\b0x[0-9a-f]+\b/gi, '<hex>'],
  // A word of hex digits is a number of some kind only where it has a decimal digit; "deadbeef" may be a name.
  [/\b(?=[a-f]*\d)[0-9a-f]{8,}\b/gi, '<hex>'],
  [/\d+(?:[.:,]\d+)*/g, '<n>'],
  [/\s+/g, ' '],
]

/** Says which form an error has, by what does not vary in it. */
export const fingerprintOf = (error: string): Fingerprint => {
  let form = error.slice(0, 4 * formCharactersMax)
  for (const [pattern, name] of variable)
    form = form.replace(pattern, (found) => (name === '<hex>' && /^\d+$/.test(found) ? '<n>' : name))
  form = form.trim().slice(0, formCharactersMax)
  return { id: hash(form), form }
}

/** 53 bits of two mixed 32-bit hashes (cyrb53), as hex. */
const hash = (text: string): string => {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    a = Math.imul(a ^ code, 2654435761)
    b = Math.imul(b ^ code, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(16).padStart(14, '0')
}
