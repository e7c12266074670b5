import type { SavedStateNote } from './SavedState.ts'

/** The moments of one partition, oldest first. */
interface OfPartition {
  readonly partition: number
  readonly notes: readonly SavedStateNote[]
}

/**
 * Which moments must go so that the rest takes no more than `bytesMax` and is no more than `countMax`: first
 * those missed least: where the distance from the moment before to the one after is shortest for its age.
 * Near the end, which is requested most, they stay closer together. The newest of each partition is the last to go.
 */
export const thinSavedStates = (
  all: readonly OfPartition[],
  bytesMax: number,
  countMax = Infinity,
): { readonly partition: number; readonly seq: number }[] => {
  let [bytes, count] = [0, 0]
  for (const { notes } of all) {
    count += notes.length
    for (const note of notes) bytes += note.bytes
  }
  const left = all.map(({ partition, notes }) => ({ partition, notes: [...notes] }))
  const gone: { partition: number; seq: number }[] = []
  while (bytes > bytesMax || count > countMax) {
    let least: { of: (typeof left)[number]; place: number; missed: number } | undefined
    for (const of of left)
      for (let place = 0; place < of.notes.length; place++) {
        const missed = missedWork(of.notes, place)
        if (least === undefined || missed < least.missed) least = { of, place, missed }
      }
    if (least === undefined) break
    const [note] = least.of.notes.splice(least.place, 1)
    bytes -= note!.bytes
    count--
    gone.push({ partition: least.of.partition, seq: note!.seq })
  }
  return gone
}

/** Work after a moment beyond which its age counts. */
const nearWork = 10_000_000

/** The distance from the moment before to the one after, less for older ones. */
const missedWork = (notes: readonly SavedStateNote[], place: number): number => {
  if (place === notes.length - 1) return Infinity
  const way = notes[place + 1]!.work - (notes[place - 1]?.work ?? 0)
  return way / (nearWork + notes.at(-1)!.work - notes[place]!.work)
}
