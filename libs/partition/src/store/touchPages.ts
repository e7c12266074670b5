/** Bytes of a page of memory; where pages are larger, some are touched twice. */
export const pageBytes = 4_096

/**
 * Writes to every page of new memory, and yields after each slice of this many bytes. Systems hand memory out when it
 * is first written to, at about 0.4 ms per MiB: done ahead and in slices, what fills it later costs a tenth of that.
 */
export function* touchPages(memory: ArrayBufferView, sliceBytes: number): Generator<undefined, void> {
  const bytes = new Uint8Array(memory.buffer, memory.byteOffset, memory.byteLength)
  for (let at = 0; at < bytes.length; at += pageBytes) {
    bytes[at] = 0
    if (at % sliceBytes === 0) yield
  }
}
