import type { Catalogue } from './Catalogue.ts'
import type { CatalogueEntry } from './CatalogueEntry.ts'

/** What is watched, and how it is made again. */
interface KeptBuckets {
  readonly catalogue: Catalogue
  /** What the catalogue should say now. */
  readonly entry: () => CatalogueEntry
  /** Makes the bucket of the checkpoints where it is missing. */
  readonly openCheckpoints: () => Promise<unknown>
  readonly onHealed: ((what: string) => void) | undefined
  /** How often to look, in ms. */
  readonly everyMs: number
}

/**
 * Makes the buckets of a log again that somebody deleted while an engine has it open: without its entry in the catalogue no
 * client finds it, and without the bucket of its checkpoints no other node takes a partition over. Returns the function that
 * stops it.
 */
export const keepBuckets = (kept: KeptBuckets): (() => void) => {
  let isLooking = false
  const look = async (): Promise<void> => {
    if (isLooking) return
    isLooking = true
    // Without an answer the next look finds out.
    await Promise.allSettled([keepEntry(kept), kept.openCheckpoints()])
    isLooking = false
  }
  const timer = setInterval(() => void look(), kept.everyMs).unref()
  return () => clearInterval(timer)
}

const keepEntry = async ({ catalogue, entry, onHealed }: KeptBuckets): Promise<void> => {
  const { name } = entry().meta
  if ((await catalogue.find(name)) !== undefined) return
  await catalogue.restore(name, entry(), undefined)
  onHealed?.(`the catalogue had lost log "${name}"; it was written again`)
}
