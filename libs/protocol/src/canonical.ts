/** Plain data with the keys of every object in order, so that the same content has the same text. */
export const canonical = (value: unknown): unknown => {
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as ArrayLike<number>)
  if (Array.isArray(value)) return value.map(canonical)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([x], [y]) => (x < y ? -1 : 1))
      .map(([k, v]) => [k, canonical(v)]),
  )
}
