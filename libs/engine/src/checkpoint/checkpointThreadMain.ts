import { constants, setPriority } from 'node:os'
import { workerData } from 'node:worker_threads'
import type { ThreadSetup } from './CheckpointThread.ts'

/** Lets the actor's thread go first. Only on Linux has each thread a priority of its own. */
function giveWay(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // The system does not allow it.
  }
}

if ((workerData as ThreadSetup).givesWay) giveWay()

// Reading and compiling the core takes longer than most checkpoints, and gives way as well.
await import('./serveThread.ts')
