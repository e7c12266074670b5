import { readdirSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { CpuThrottle } from '@kiroku/auditor'
import type { Invocation } from './CommandSpec.ts'

/** Several commands may read at once beside an auditor: all of them together should not be felt. */
const workShare = 1 / 64

/** With `--gentle`: lowers the priority of this process, and returns the throttle for its reading. */
export const gentle = ({ flag, signal }: Invocation): CpuThrottle | undefined => {
  if (!flag('gentle')) return undefined
  try {
    for (const thread of ownThreads()) setPriority(thread, constants.priority.PRIORITY_LOW)
  } catch {
    // A system that does not allow it; the rests do most of it.
  }
  return new CpuThrottle(workShare, signal)
}

/** Linux gives each thread a priority of its own, also those that clear memory and compile; elsewhere it is one for all. */
const ownThreads = (): number[] => {
  try {
    return readdirSync('/proc/self/task').map(Number)
  } catch {
    return [process.pid]
  }
}
