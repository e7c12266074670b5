/**
 * A process that simulates and does nothing else: its time and chance belong to the worlds that it runs. The name of
 * a broken engine in `KIROKU_BROKEN` makes it load that engine.
 */
import { Worker } from 'node:worker_threads'
import { progress } from '../core/progress.ts'
import { takeOverGlobals } from '../core/takeOverGlobals.ts'
import type { Job, Outcome } from './Job.ts'

const broken = process.env['KIROKU_BROKEN']
if (broken !== undefined) {
  const { breakEngine } = await import('../broken/breakEngine.ts')
  breakEngine(broken)
}
const { work } = await import('./work.ts')
new Worker(new URL('./watch.ts', import.meta.url), { workerData: progress }).unref()
takeOverGlobals()

let before = Promise.resolve()
process.on('message', (job: Job) => {
  before = before.then(async () => {
    const outcome: Outcome = await work(job)
    process.send!(outcome)
  })
})
process.on('disconnect', () => process.exit())
