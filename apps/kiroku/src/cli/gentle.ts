import { readdirSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { CpuThrottle } from '@kiroku/auditor'
import type { Invocation } from './CommandSpec.ts'

/** Several commands may read at once alongside an auditor: together they should not be noticeable. */
const workShare = 1 / 64

/** With `--gentle`: lowers the priority of this process, and returns the throttle for its reading. */
export const gentle = ({ flag, signal }: Invocation): CpuThrottle | undefined => {
  if (!flag('gentle')) return undefined
  try {
    for (const thread of ownThreads()) setPriority(thread, constants.priority.PRIORITY_LOW)
  } catch {
    // The system does not allow it; the pauses do most of it.
  }
  return new CpuThrottle(workShare, signal)
}

/**
 * On Linux each thread has its own priority, including those that collect garbage and compile; elsewhere one
 * applies to all.
 */
const ownThreads = (): number[] => {
  try {
    return readdirSync('/proc/self/task').map(Number)
  } catch {
    return [process.pid]
  }
}
