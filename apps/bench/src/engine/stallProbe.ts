/** Loaded into an engine's process before its program: reports on request the longest stall of the thread. */
import { isMainThread } from 'node:worker_threads'
import { StallWatch } from './StallWatch.ts'

const watch = (): void => {
  const stalls = new StallWatch()
  process.on('message', (question: 'begin' | 'read') => {
    if (question === 'begin') stalls.begin()
    else process.send!(stalls.read())
  })
  // An engine whose benchmark is gone must not stay behind.
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  process.channel!.unref()
}

// The engine's own threads load this too.
if (isMainThread) watch()
