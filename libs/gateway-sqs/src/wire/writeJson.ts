import type { Members, Shape } from './Shape.ts'

/** An answer in the JSON protocol: maps as objects, bytes as base64. */
export const writeJson = (output: Members, values: object): string =>
  JSON.stringify(isPlain(output) ? values : plain(values))

/** Outputs, and whether JSON can hold them as they are. */
const plainOutputs = new Map<Members, boolean>()

const isPlain = (output: Members): boolean => {
  let known = plainOutputs.get(output)
  if (known === undefined) plainOutputs.set(output, (known = Object.values(output).every(isPlainShape)))
  return known
}

const isPlainShape = (shape: Shape): boolean => {
  switch (shape.kind) {
    case 'bytes':
    case 'map':
      return false
    case 'list':
      return isPlainShape(shape.of)
    case 'structure':
      return Object.values(shape.members).every(isPlainShape)
    default:
      return true
  }
}

/** The same without maps and bytes. */
const plain = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || isFlat(value)) return value
  if (Array.isArray(value)) return value.map(plain)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  const entries: Iterable<[string, unknown]> = value instanceof Map ? value : Object.entries(value)
  return Object.fromEntries(Array.from(entries, ([key, each]) => [key, plain(each)]))
}

const isFlat = (value: object): boolean => {
  if (Array.isArray(value) || value instanceof Uint8Array || value instanceof Map) return false
  for (const each of Object.values(value)) if (typeof each === 'object') return false
  return true
}
