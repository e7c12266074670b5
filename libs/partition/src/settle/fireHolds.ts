import type { Ownership } from '../ownership/Ownership.ts'
import type { PartitionState } from '../state/PartitionState.ts'

/** When the first hold ends; infinity: none. */
export const holdEndsAt = ({ holds }: PartitionState): number => {
  let at = Number.POSITIVE_INFINITY
  for (const { hold } of holds) at = Math.min(at, hold!.until)
  return at
}

/** Resumes the subscriptions whose hold has expired. The recorded hold stays. */
export const fireHolds = ({ state: { holds }, dirty }: Ownership, now: number): void => {
  for (const sub of holds) {
    if (sub.hold!.until > now) continue
    holds.delete(sub)
    dirty.add(sub)
  }
}
