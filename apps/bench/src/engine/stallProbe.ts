/** Loaded into an engine's process before its program: tells on request how long the thread stood still at most. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

const watch = (): void => {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  process.on('message', (question: 'begin' | 'read') => {
    if (question === 'begin') delay.reset()
    else process.send!({ stallMs: delay.max / 1e6 })
  })
  // An engine whose benchmark is gone must not stay behind.
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  process.channel!.unref()
}

// The engine's own threads load this too.
if (isMainThread) watch()
