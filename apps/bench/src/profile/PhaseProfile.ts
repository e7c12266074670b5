import type { HeapProfiler, Profiler } from 'node:inspector'

/** What one process did in a phase. */
export interface PhaseProfile {
  readonly processor: Profiler.Profile
  readonly allocations: HeapProfiler.SamplingHeapProfile
  /** How many, and how long the thread waited for them, in ms. */
  readonly collections: {
    readonly young: number
    readonly youngMs: number
    readonly full: number
    readonly fullMs: number
  }
}

/** The variable that names the folder for what probes write. */
export const profileFolder = 'KIROKU_BENCH_PROFILE'

/** Where a process says that it profiles, and where it writes what it has. */
export const begunFile = (pid: number): string => `${pid}.begun`
export const profileFile = (pid: number): string => `${pid}.profile.json`

/** A function, and its share of what was measured. */
export interface Share {
  readonly name: string
  readonly share: number
}

interface Frame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
}

/** A place as people look it up: the function, and the end of its file's path with the line. */
const placeOf = ({ functionName, url, lineNumber }: Frame): string => {
  const file = url.replace(/^.*\/((?:libs|apps|node_modules)\/)/, '$1').replace(/^node_modules\//, '')
  return url === '' ? functionName : `${functionName || '(anonymous)'} ${file}:${lineNumber + 1}`
}

/** Nothing ran, or the profiler itself. */
const isNone = ({ functionName, url }: Frame): boolean =>
  functionName === '(idle)' || url === 'node:inspector'

/** The functions that took most of the processor's time themselves, the most first. */
export const processorShares = ({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Share[] => {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const spent = new Map<string, number>()
  for (const [i, id] of samples.entries()) {
    const frame = frames.get(id)!
    if (!isNone(frame)) add(spent, placeOf(frame), timeDeltas[i] ?? 0)
  }
  return sharesOf(spent)
}

/** The functions that allocated most themselves, the most first. */
export const allocationShares = ({ head }: HeapProfiler.SamplingHeapProfile): Share[] => {
  const allocated = new Map<string, number>()
  const open = [head]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (!isNone(node.callFrame)) add(allocated, placeOf(node.callFrame), node.selfSize)
    open.push(...node.children)
  }
  return sharesOf(allocated)
}

const add = (sums: Map<string, number>, name: string, value: number): void => {
  sums.set(name, (sums.get(name) ?? 0) + value)
}

const sharesOf = (sums: ReadonlyMap<string, number>): Share[] => {
  const total = [...sums.values()].reduce((a, b) => a + b, 0)
  return [...sums]
    .filter(([, value]) => value > 0)
    .map(([name, value]) => ({ name, share: value / total }))
    .sort((a, b) => b.share - a.share)
}
