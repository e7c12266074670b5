import { sharedKey, sharedWord, word, type SharedGroups } from '../groups/GroupColumns.ts'
import { sharedGroupOf, sharedNext } from '../groups/GroupLinks.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { LiveCopy } from '../store/LiveColumns.ts'
import { freeSlot } from '../store/LiveSlab.ts'
import type { GroupSnapshot } from './Snapshot.ts'

/** Most groups have nothing under way, and share this. */
const none: readonly number[] = []

/** Groups and messages that become objects between two yields. */
const sliceItems = 2_000
/** Slots that are looked at between two yields. */
const sliceSlots = 10_000

/** What the groups of all subscriptions have, as it was at one moment. */
export class GroupsCopy {
  readonly groups: SharedGroups
  /** Indexes of the subscriptions whose groups have no list of all their live messages. */
  readonly unordered = new Set<number>()
  readonly #links: readonly Int32Array[]
  readonly #live: LiveCopy
  #members: Map<number, number[]> | undefined

  constructor(state: PartitionState, live: LiveCopy) {
    this.groups = state.groups.share()
    this.#links = state.live.groupLinks.share()
    this.#live = live
  }

  /** Numbers of the messages in a group's list. */
  listed(id: number): readonly number[] {
    const first = sharedWord(this.groups, id, word.first)
    if (first === 0) return none
    const numbers: number[] = []
    for (let place = first; place !== 0; place = sharedNext(this.#links, place))
      numbers.push(this.#live.number[place - 1]!)
    return numbers
  }

  /** Numbers of the live messages of all unordered groups, by id, which are looked up once: in all slots. */
  *members(): Generator<undefined, ReadonlyMap<number, readonly number[]>> {
    if (this.#members !== undefined) return this.#members
    const members = new Map<number, number[]>()
    const { number, owner, state } = this.#live
    for (let slot = 0; slot < number.length; slot++) {
      if (slot % sliceSlots === sliceSlots - 1) yield
      if (state[slot] === freeSlot || !this.unordered.has(owner[slot]!)) continue
      const id = sharedGroupOf(this.#links, slot)
      const numbers = members.get(id)
      if (numbers === undefined) members.set(id, [number[slot]!])
      else numbers.push(number[slot]!)
    }
    this.#members = members
    return members
  }
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
  copy: GroupsCopy,
  { oldest, isOrdered, isFilling }: OwnGroups,
  list: GroupSnapshot[],
): Generator<undefined, void> {
  if (oldest === 0) return
  const { groups } = copy
  const members = isOrdered ? undefined : yield* copy.members()
  let left = sliceItems
  for (let id = oldest; id !== 0; id = sharedWord(groups, id, word.next)) {
    const touched = copy.listed(id)
    const live = members === undefined ? touched : (members.get(id) ?? none)
    list.push({
      key: sharedKey(groups, id),
      ready: [
        sharedWord(groups, id, word.readyHead),
        sharedWord(groups, id, word.readyTail),
        sharedWord(groups, id, word.ready),
      ],
      ...(isFilling ? { restoredTail: sharedWord(groups, id, word.restoredTail) } : undefined),
      touched,
      live,
    })
    left -= 1 + live.length
    if (left > 0) continue
    left = sliceItems
    yield
  }
}
