import { limits } from '../limits.ts'

/** A value in a body, by its path: names joined with dots; list elements share the list's path. */
export interface Field {
  readonly path: string
  /** A text in lower case, a number, or `true`, `false` and `null` as texts. */
  readonly value: string | number
}

const openBrace = 0x7b
const openBracket = 0x5b
const decoder = new TextDecoder()

/** The values in a body that is JSON, within the limits; none if it is something else. */
export const fieldsOf = (body: Uint8Array): Field[] => {
  if (body.length > limits.bodyBytesIndexedMax) return []
  let at = 0
  while (at < body.length && body[at]! <= 0x20) at++
  if (body[at] !== openBrace && body[at] !== openBracket) return []
  let value: unknown
  try {
    value = JSON.parse(decoder.decode(body))
  } catch {
    return []
  }
  const fields: Field[] = []
  collect(value, '', 0, fields)
  return fields
}

const collect = (value: unknown, path: string, depth: number, into: Field[]): void => {
  if (into.length >= limits.fieldsPerMessageMax || path.length > limits.fieldNameCharactersMax) return
  if (typeof value === 'object' && value !== null) {
    if (depth >= limits.fieldDepthMax) return
    if (Array.isArray(value)) for (const each of value) collect(each, path, depth + 1, into)
    else
      for (const [name, each] of Object.entries(value))
        collect(each, path === '' ? name : `${path}.${name}`, depth + 1, into)
    return
  }
  if (path === '') return
  if (typeof value === 'number') into.push({ path, value })
  else if (typeof value !== 'string') into.push({ path, value: String(value) })
  else if (value.length <= limits.fieldCharactersMax) into.push({ path, value: value.toLowerCase() })
}
