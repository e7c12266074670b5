/**
 * Loaded into an engine's process before its program: once asked to, watches for the longest stall of the thread, or counts its full
 * collections, and reports that. Until then it costs the engine nothing; the watch takes 4 % of a core.
 */
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'
import { StallWatch } from './StallWatch.ts'

/** What Node tells of a collection. */
type Collection = PerformanceEntry & { readonly detail: { readonly kind: number } }
const isFull = constants.NODE_PERFORMANCE_GC_MAJOR

const watch = (): void => {
  let stalls: StallWatch | undefined
  let full = 0
  const countFull = (entries: readonly PerformanceEntry[]): void => {
    full += entries.filter((entry) => (entry as Collection).detail.kind === isFull).length
  }
  let collections: PerformanceObserver | undefined
  process.on('message', (question: 'begin' | 'read' | 'collections') => {
    if (question === 'begin') return (stalls ??= new StallWatch()).begin()
    if (question === 'read') return process.send!(stalls!.read())
    if (collections === undefined) {
      collections = new PerformanceObserver((list) => countFull(list.getEntries()))
      collections.observe({ entryTypes: ['gc'] })
    }
    countFull(collections.takeRecords())
    process.send!(full)
  })
}

// The engine's own threads load this too.
if (isMainThread) watch()
