/** An answer in the JSON protocol: maps as objects, bytes as base64. */
export const writeJson = (values: object): string =>
  JSON.stringify(values, function (this: Record<string, unknown>, key, written: unknown) {
    // Buffers have become objects by now; what they were stands in their place.
    const value = this[key]
    if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
    return value instanceof Map ? Object.fromEntries(value) : written
  })
