import { formatBytes, type MemoryDescription, memoryTrouble } from '@kiroku/protocol'
import type { Finding } from './Finding.ts'

/** A node whose messages take more of what it has for them is warned about. */
const warnsFrom = 0.8

/** Of all nodes, the one with the least memory left for messages. */
export const judgeMemory = (told: readonly MemoryDescription[]): Finding[] => {
  const check = 'memory'
  const share = ({ bytes, bytesMax }: MemoryDescription): number => bytes / bytesMax
  const [fullest] = told.toSorted((a, b) => share(b) - share(a))
  if (fullest === undefined) return []
  const detail = `messages take ${formatBytes(fullest.bytes)} of the ${formatBytes(fullest.bytesMax)} that a node has for them`
  const advice = 'Have waiting messages consumed, or give the engine more memory: beyond it sends wait.'
  const trouble = memoryTrouble('a node', fullest)
  if (trouble !== undefined) return [{ check, status: 'bad', detail: trouble, advice }]
  if (share(fullest) > warnsFrom) return [{ check, status: 'warning', detail, advice }]
  return [{ check, status: 'ok', detail }]
}
