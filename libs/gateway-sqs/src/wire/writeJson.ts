/** An answer in the JSON protocol: maps as objects, bytes as base64. */
export const writeJson = (values: object): string => JSON.stringify(plain(values))

/** The same without maps and bytes; most answers have none. */
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
