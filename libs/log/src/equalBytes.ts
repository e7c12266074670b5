/** Whether two stretches of bytes are the same; for rooms that have no `Buffer`. */
export const equalBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i])
