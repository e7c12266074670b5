/** A little less than the largest block that glibc goes by. */
const blockBytes = 32 * 1024 * 1024 - 64 * 1024

/** What Node 20 lacks. */
interface Transferable {
  readonly transfer?: (bytes: number) => unknown
}

let isDone = false

/**
 * Bodies come in frames of up to 2 MB, and V8 frees many of these at once. glibc gives such memory back to the system, and each
 * 4 KB of the next frames are a page fault. How much glibc keeps depends on the largest block that was freed, as mallopt(3) says of
 * M_MMAP_THRESHOLD. So this frees a large one that nobody wrote to: up to 64 MB are kept from then on, and used again.
 */
export const keepFreedMemory = (): void => {
  if (isDone || process.platform !== 'linux') return
  isDone = true
  const block: ArrayBuffer & Transferable = new ArrayBuffer(blockBytes)
  block.transfer?.(0)
}
