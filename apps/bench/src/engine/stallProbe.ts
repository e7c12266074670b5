/** Loaded into an engine's process before its program: tells on request how long the thread stood still at most. */
import { monitorEventLoopDelay } from 'node:perf_hooks'

const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
process.on('message', (question: 'begin' | 'read') => {
  if (question === 'begin') delay.reset()
  else process.send!({ stallMs: delay.max / 1e6 })
})
process.channel!.unref()
// An engine whose benchmark is gone must not stay behind.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
