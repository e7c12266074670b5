/** An answer in the JSON protocol: maps as objects, bytes as base64. */
export const writeJson = (values: object): string => JSON.stringify(isPlain(values) ? values : plain(values))

/** Whether JSON can hold it as it is; most answers. */
const isPlain = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return true
  if (value instanceof Map || value instanceof Uint8Array) return false
  for (const name in value) if (!isPlain((value as Readonly<Record<string, unknown>>)[name])) return false
  return true
}

/** The same without maps and bytes. */
const plain = (value: unknown): unknown => {
  if (isPlain(value)) return value
  if (Array.isArray(value)) return value.map(plain)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  const entries: Iterable<[string, unknown]> = value instanceof Map ? value : Object.entries(value as object)
  return Object.fromEntries(Array.from(entries, ([key, each]) => [key, plain(each)]))
}
