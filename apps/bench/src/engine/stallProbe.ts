/**
 * Loaded into an engine's process before its program: once asked to, watches for the longest stall of the thread, and reports
 * it. Until then it costs the engine nothing; the watch takes 4 % of a core.
 */
import { isMainThread } from 'node:worker_threads'
import { StallWatch } from './StallWatch.ts'

const watch = (): void => {
  let stalls: StallWatch | undefined
  process.on('message', (question: 'begin' | 'read') => {
    if (question === 'begin') (stalls ??= new StallWatch()).begin()
    else process.send!(stalls!.read())
  })
  // An engine whose benchmark is gone must not stay behind.
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  process.channel!.unref()
}

// The engine's own threads load this too.
if (isMainThread) watch()
