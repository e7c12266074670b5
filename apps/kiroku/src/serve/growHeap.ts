import { setFlagsFromString } from 'node:v8'
import { isFrugal } from './memoryMax.ts'

/** The V8 that these flags were measured with; another one may know neither, or mean something else by them. */
const measured = '13.6.'

/**
 * Bodies lie outside the heap. As V8 is by default, each 64 MB of them begin a full collection, however large the heap is:
 * with bodies of 16 KB these took two thirds of an engine's processor time.
 */
const flags = ['--external-memory-accounted-in-global-limit', '--heap-growing-percent=100'] as const

/** Lets a process that carries bodies collect when what it holds, bodies included, has doubled, unless memory is scarce. */
export const growHeap = (isScarce = isFrugal()): void => {
  if (!isScarce && process.versions.v8.startsWith(measured))
    for (const flag of flags) setFlagsFromString(flag)
}
