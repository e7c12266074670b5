import { firstPlace, type NamesPage } from '@kiroku/protocol'
import type { PartitionState } from '../state/PartitionState.ts'

/** The first names of queues that a page asks for, in order: one pass over the names, whatever the queues hold. */
export const namesPage = (
  { queues }: PartitionState,
  { max, prefix = '', after = '', deadLetter }: NamesPage,
): string[] => {
  const names: string[] = []
  for (const { name, place, config } of queues.values()) {
    if (place !== undefined || name <= after || !name.startsWith(prefix)) continue
    if (deadLetter !== undefined && config.deadLetter?.name !== deadLetter) continue
    if (names.length >= max && name > names.at(-1)!) continue
    names.splice(
      firstPlace(names.length, (i) => names[i]! > name),
      0,
      name,
    )
    if (names.length > max) names.pop()
  }
  return names
}
