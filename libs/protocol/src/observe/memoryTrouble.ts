import { formatBytes } from '../settings/units.ts'
import type { MemoryDescription } from './PartitionDescription.ts'

/** Says that messages take more memory than a node has for them, and what waits for that; undefined while they do not. */
export const memoryTrouble = (node: string, memory: MemoryDescription): string | undefined => {
  const { bytes, bytesMax, holdsUntouched = false } = memory
  if (bytes <= bytesMax) return undefined
  const what = `messages take ${formatBytes(bytes)} of memory, and ${node} has ${formatBytes(bytesMax)} for them`
  return holdsUntouched
    ? `${what}: sends wait, and so does what was never delivered, until messages that were are settled`
    : `${what}: sends wait until some are consumed`
}
