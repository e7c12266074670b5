/** Whether two byte arrays are equal; for rooms that have no `Buffer`. */
export const equalBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i])
