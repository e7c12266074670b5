/** Loaded into an engine's process before its program: tells on request how long the thread stood still at most. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'
import type { Stall } from './EngineProcess.ts'

const tickMs = 2

const watch = (): void => {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  let busyMs = 0
  let since = process.threadCpuUsage()
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(since)
    busyMs = Math.max(busyMs, (user + system) / 1_000)
    since = process.threadCpuUsage()
  }, tickMs).unref()
  process.on('message', (question: 'begin' | 'read') => {
    if (question === 'begin') {
      delay.reset()
      busyMs = 0
    } else process.send!({ stallMs: delay.max / 1e6, busyMs } satisfies Stall)
  })
  // An engine whose benchmark is gone must not stay behind.
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  process.channel!.unref()
}

// The engine's own threads load this too.
if (isMainThread) watch()
