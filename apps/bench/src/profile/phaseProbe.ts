/**
 * Loaded into each process of Kiroku before its program: the first SIGUSR2 begins to profile the processor and allocations and to
 * count collections, the second writes what there is to the folder that the environment names. Until then it costs nothing.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'
import { begunFile, type PhaseProfile, profileFile, profileFolder } from './PhaseProfile.ts'

/** Bytes between two samples of what is allocated. */
const samplingInterval = 64 * 1024

/** Writes a file that is whole once it is there. */
const write = (file: string, text: string): void => {
  writeFileSync(`${file}.part`, text)
  renameSync(`${file}.part`, file)
}

const begin = async (): Promise<() => Promise<PhaseProfile>> => {
  const session = new Session()
  session.connect()
  await session.post('HeapProfiler.startSampling', {
    samplingInterval,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  })
  await session.post('Profiler.enable')
  await session.post('Profiler.start')
  const collections = { young: 0, youngMs: 0, full: 0, fullMs: 0 }
  const count = (entries: readonly PerformanceEntry[]): void => {
    for (const entry of entries) {
      const { kind } = (entry as PerformanceEntry & { readonly detail: { readonly kind: number } }).detail
      if (kind === constants.NODE_PERFORMANCE_GC_MAJOR) {
        collections.full++
        collections.fullMs += entry.duration
      } else if (kind === constants.NODE_PERFORMANCE_GC_MINOR) {
        collections.young++
        collections.youngMs += entry.duration
      }
    }
  }
  const observer = new PerformanceObserver((list) => count(list.getEntries()))
  observer.observe({ entryTypes: ['gc'] })
  return async () => {
    const { profile: processor } = await session.post('Profiler.stop')
    const { profile: allocations } = await session.post('HeapProfiler.stopSampling')
    count(observer.takeRecords())
    observer.disconnect()
    session.disconnect()
    return { processor, allocations, collections }
  }
}

const listen = (folder: string): void => {
  let end: (() => Promise<PhaseProfile>) | undefined
  process.on('SIGUSR2', () => {
    void (async () => {
      if (end === undefined) {
        end = await begin()
        write(join(folder, begunFile(process.pid)), '')
      } else write(join(folder, profileFile(process.pid)), JSON.stringify(await end()))
    })()
  })
}

const folder = process.env[profileFolder]
// The engine's own threads load this too.
if (isMainThread && folder !== undefined) listen(folder)
