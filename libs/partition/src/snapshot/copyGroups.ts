import { sharedKey, sharedWord, word, type SharedGroups } from '../groups/GroupColumns.ts'
import { sharedNext } from '../groups/GroupLinks.ts'
import type { LiveCopy } from '../store/LiveColumns.ts'
import type { GroupSnapshot } from './Snapshot.ts'

/** Most groups have nothing under way, and share this. */
const none: readonly number[] = []

/** Groups and messages that become objects between two yields. */
const sliceItems = 2_000

/** What the groups of all subscriptions have, as it was at one moment. */
export interface GroupsCopy {
  readonly groups: SharedGroups
  readonly links: readonly Int32Array[]
  readonly live: LiveCopy
}

/** Which of them are a subscription's. */
export interface OwnGroups {
  /** The oldest one; 0: there is none. */
  readonly oldest: number
  readonly isOrdered: boolean
  readonly isFilling: boolean
}

/** Copies a subscription's groups to the end of `list`, a bit between two yields, whatever happens meanwhile. */
export function* copyGroups(
  { groups, links, live }: GroupsCopy,
  { oldest, isOrdered, isFilling }: OwnGroups,
  list: GroupSnapshot[],
): Generator<undefined, void> {
  const numbersFrom = (first: number): readonly number[] => {
    if (first === 0) return none
    const numbers: number[] = []
    for (let place = first; place !== 0; place = sharedNext(links, place))
      numbers.push(live.number[place - 1]!)
    return numbers
  }
  let left = sliceItems
  for (let id = oldest; id !== 0; id = sharedWord(groups, id, word.next)) {
    const all = numbersFrom(sharedWord(groups, id, word.live))
    list.push({
      key: sharedKey(groups, id),
      ready: [
        sharedWord(groups, id, word.readyHead),
        sharedWord(groups, id, word.readyTail),
        sharedWord(groups, id, word.ready),
      ],
      ...(isFilling ? { restoredTail: sharedWord(groups, id, word.restoredTail) } : undefined),
      // In an ordered queue whatever is live is in the list of what was touched.
      touched: isOrdered ? all : numbersFrom(sharedWord(groups, id, word.again)),
      live: all,
    })
    left -= 1 + all.length
    if (left > 0) continue
    left = sliceItems
    yield
  }
}
