import type { Snapshot } from './Snapshot.ts'

/** The oldest version of snapshots whose layout is known. */
const versionMin = 2
/** From this version on producers are columns; until then each had numbers for a whole window of sends. */
const columnsFrom = 4
const words = 4

type OldProducer = readonly [
  id: string,
  lastAt: number,
  highest: number,
  sends: Float64Array,
  answers?: readonly (readonly [send: number, numbers: readonly number[]])[],
]

/** A snapshot of an older version in the layout of today; undefined: its layout is not known any more. */
export const readOlderSnapshot = (old: { readonly version: number }): Snapshot | undefined => {
  if (old.version < versionMin) return undefined
  const s = old as unknown as Snapshot
  if (old.version >= columnsFrom) return s
  return { ...s, producers: columnsOf(s.producers as unknown as readonly OldProducer[]) }
}

const columnsOf = (producers: readonly OldProducer[]): Snapshot['producers'] => {
  const sends: number[] = []
  const counts = new Uint8Array(producers.length)
  const answers: [number, NonNullable<OldProducer[4]>][] = []
  for (const [p, [, , , window, whole]] of producers.entries()) {
    for (let o = 0; o < window.length; o += words) {
      if (window[o] === 0) continue
      sends.push(...window.subarray(o, o + words))
      counts[p] = counts[p]! + 1
    }
    if (whole !== undefined) answers.push([p, whole])
  }
  return {
    ids: producers.map(([id]) => id),
    lastAt: Float64Array.from(producers, ([, lastAt]) => lastAt),
    highest: Float64Array.from(producers, ([, , highest]) => highest),
    counts,
    sends: Float64Array.from(sends),
    ...(answers.length === 0 ? undefined : { answers: answers as never }),
  }
}
