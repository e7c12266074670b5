/**
 * A thread of a simulating process that ends it when one step does not come to its end. It counts the processor time
 * that the process spent on it, not the time that went by: a process that has to wait for a busy machine does no work.
 */
import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

/** Processor time of one step at the most, in ms: far more than any takes. */
const stepCpuMsMax = 30_000
const lookMs = 1_000
const standardError = 2

const progress = workerData as Int32Array
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

let seen = -1
let sinceCpuMs = 0
setInterval(() => {
  const steps = Atomics.load(progress, 0)
  const now = cpuMs()
  if (steps !== seen) {
    seen = steps
    sinceCpuMs = now
    return
  }
  if (now - sinceCpuMs < stepCpuMsMax) return
  // The main thread would have to pass on what a console says.
  writeSync(standardError, `a step did not end within ${stepCpuMsMax} ms of processor time\n`)
  process.kill(process.pid, 'SIGABRT')
}, lookMs)
