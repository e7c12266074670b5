import { type MessageCell, newCell } from '@kiroku/message'
import { isFinal, State } from '@kiroku/protocol'
import { expect } from 'vitest'
import type { Groups } from '../groups/Groups.ts'
import { describeQueues, type Ownership, type PartitionState, readyRuns } from '../index.ts'
import { Ages } from '../ownership/Ages.ts'
import type { QueueState, Subscription } from '../state/QueueState.ts'
import type { LiveSlab } from '../store/LiveSlab.ts'
import { loadCell } from '../store/loadCell.ts'
import { listsOf } from '../store/readyRuns.ts'
import type { ReferencePartition } from './ReferencePartition.ts'
import { type LawQueue, timeOf } from './ReferenceQueue.ts'

// --- What must hold.

/** Compares what the partition remembers with what the record says of every message, and its counters with both. */
export const compare = (own: Ownership, law: ReferencePartition): void => {
  const { state } = own
  expect([...state.queues.keys()].sort()).toEqual([...law.queues.keys()].sort())
  const descriptions = new Map(
    describeQueues(state, state.queues.values(), state.at).map((d) => [d.queue, d]),
  )
  let live = 0
  const keys: string[] = []
  const passed = new Ages(state)
  for (const q of state.queues.values()) {
    const known = law.queues.get(q.id)!
    // What is counted as messages come and go, and one pass over all of them, agree to the second.
    const [counted, found] = [own.ages.oldestAt(q), passed.oldestAt(q)]
    expect(counted === undefined).toBe(found === undefined)
    expect(Math.floor((counted ?? 0) / 1_000)).toBe(Math.floor((found ?? 0) / 1_000))
    expect(counted ?? 0).toBeLessThanOrEqual(found ?? 0)
    expect([...q.notes].sort()).toEqual([...known.notes].sort())
    const { createdAt: created, configuredAt: configured, purgedAt: purged } = q
    expect({ created, configured, purged }).toEqual(known.times)
    expect(delayedOf(state, q)).toEqual(known.delayed)
    expect(keysOf(state, q)).toEqual(keysInForce(known, state.at))
    expect(q.subs.map((sub) => sub.id).sort()).toEqual([...known.subs.keys()].sort())
    const { counts, subscriptions } = descriptions.get(q.id)!
    expect([counts.delayed, counts.sent]).toEqual([known.delayed.size, known.messages.size])
    for (const [i, sub] of q.subs.entries()) {
      const lawSub = known.subs.get(sub.id)!
      const { cells } = lawSub
      const untouched = untouchedOf(state, sub)
      const counted = new Map<State, number>()
      for (const [n, cell] of cells) {
        const is = cell.state
        counted.set(is, (counted.get(is) ?? 0) + 1)
        const slot = state.live.find(sub.index, n)
        if (slot >= 0) {
          live++
          expect(timeless(loadCell(state.live, slot, newCell()))).toEqual(timeless(cell))
          expect(state.live.enqueuedAt[slot]).toBe(timeOf(lawSub, n, known.messages.get(n)!))
        } else expect(untouched.get(n)).toBe(isFinal(is) || is === State.Delayed ? undefined : is)
      }
      const of = (s: State): number => counted.get(s) ?? 0
      const counts = subscriptions[i]!.counts
      expect(counts).toEqual({
        delayed: known.delayed.size,
        available: of(State.Available),
        inflight: of(State.Inflight),
        waitingRetry: of(State.WaitingRetry),
        sent: cells.size - of(State.Delayed),
        committed: of(State.Committed),
        deadLettered: of(State.DLQ),
        discarded: of(State.Discarded),
        redelivered: counts.redelivered,
      })
      expect(sub.hold?.until ?? 0).toBe(lawSub.held.until)
      const held = [...own.times.consumers.of(sub).values()].map(({ inflight }) => inflight)
      // An ownership knows of the deliveries that it made.
      expect(held.reduce((sum, n) => sum + n, 0)).toBeLessThanOrEqual(sub.inflight)
      compareLists(state, sub)
      servesGroups(own, sub)
      for (const { key } of sub.groups?.all() ?? []) keys.push(key)
    }
  }
  // What of them is gone takes no memory.
  expect([state.groups.used, state.groups.keyCharacters]).toEqual([keys.length, keys.join('').length])
  expect(state.live.used).toBe(live)
  const waiting = [...state.outbox].flatMap(([key, { entries }]) =>
    entries.length === 0 ? [] : [[key, entries.map(({ number }) => number)] as const],
  )
  expect(new Map(waiting)).toEqual(law.outbox.waiting)
}

/** What the law compares: the fields that mean something in the state. */
const timeless = (c: MessageCell): object => ({
  state: c.state,
  attempt: c.attempt,
  delivery: c.delivery,
  attemptsMax: c.attemptsMax,
  leaseUntil: c.state === State.Inflight ? c.leaseUntil : 0,
  leaseCap: c.leaseCap,
  dueAt: c.state === State.WaitingRetry ? c.dueAt : 0,
})

/** Messages that a repeat would be answered with. */
const keysOf = ({ dedup, at }: PartitionState, q: QueueState): number[] => {
  const { numbers, ats } = dedup.of(q)?.copy() ?? { numbers: [], ats: [] }
  return [...numbers].filter((_, i) => ats[i]! + q.config.dedupWindowMs > at).sort((a, b) => a - b)
}

const keysInForce = ({ keys, config }: LawQueue, now: number): number[] =>
  [...keys.values()]
    .filter(({ at }) => at + config.dedupWindowMs > now)
    .map(({ number }) => number)
    .sort((a, b) => a - b)

const delayedOf = (state: PartitionState, q: QueueState): Set<number> => {
  const found = new Set<number>()
  for (const d of state.delayedRuns.items)
    if (d.queue === q) for (const n of numbersIn(state, d.run)) found.add(n)
  return found
}

const numbersIn = ({ runs }: PartitionState, run: number): number[] => {
  expect(runs.count(run)).toBeGreaterThan(0)
  return Array.from({ length: runs.count(run) }, (_, i) => runs.first(run) + i)
}

const untouchedOf = (state: PartitionState, sub: Subscription): Map<number, State> => {
  const found = new Map<number, State>()
  const { runs } = state
  let bytes = 0
  for (const run of readyRuns(state, sub)) {
    for (const n of numbersIn(state, run)) {
      expect(found.has(n)).toBe(false)
      found.set(n, State.Available)
    }
    bytes += runs.bytes(run)
  }
  expect([sub.ready, sub.readyBytes]).toEqual([found.size, bytes])
  for (const { readyHead, readyTail } of listsOf(sub))
    for (let run = readyHead; run !== 0; run = runs.next(run))
      if (runs.next(run) === 0) expect(readyTail).toBe(run)
  if (sub.groups !== undefined) compareGroups(state, sub, sub.groups)
  return found
}

const compareGroups = ({ runs, live }: PartitionState, sub: Subscription, groups: Groups): void => {
  let touched = 0
  const row = [...groups.row()].map(({ key }) => key)
  for (const group of groups.all()) {
    let ready = 0
    for (let run = group.readyHead; run !== 0; run = runs.next(run)) {
      ready += runs.count(run)
    }
    if (group.readyHead !== 0) expect(groups.headedBy(runs.first(group.readyHead))!.key).toBe(group.key)
    const slots: number[] = []
    for (let place = group.first; place !== 0; place = live.groupLinks.next(place)) {
      expect(live.owner[place - 1]).toBe(sub.index)
      expect(groups.ofSlot(live, place - 1).key).toBe(group.key)
      slots.push(place - 1)
    }
    expect(group.last).toBe((slots.at(-1) ?? -1) + 1)
    const members = slotsOf(live, sub.index).filter((slot) => groups.ofSlot(live, slot).id === group.id)
    const inState = (state: State) => members.filter((slot) => live.state[slot] === state)
    const again = inState(State.Available)
    expect(slots.toSorted((a, b) => a - b)).toEqual(groups.isOrdered ? members : again)
    const counted = [group.ready, group.againCount, group.inflight, group.waiting, group.live]
    expect(counted).toEqual([
      ready,
      again.length,
      inState(State.Inflight).length,
      inState(State.WaitingRetry).length,
      members.length,
    ])
    expect(ready + members.length).toBeGreaterThan(0)
    if (groups.isServable(group, live)) expect(group.isQueued).toBe(true)
    expect(row.filter((key) => key === group.key)).toHaveLength(group.isQueued ? 1 : 0)
    touched += members.length
  }
  expect(touched).toBe(sub.available + sub.inflight + sub.waitingRetry)
}

const slotsOf = (live: LiveSlab, owner: number): number[] =>
  Array.from({ length: live.top }, (_, slot) => slot).filter(
    (slot) => live.owner[slot] === owner && !live.isFree(slot),
  )

const compareLists = (state: PartitionState, sub: Subscription): void => {
  const { live } = state
  let count = 0
  let bytes = 0
  let before = -1
  for (let slot = sub.head; slot >= 0; slot = live.next[slot]!) {
    expect(live.state[slot]).toBe(State.Available)
    expect(live.owner[slot]).toBe(sub.index)
    expect(live.prev[slot]).toBe(before)
    before = slot
    count++
    bytes += live.bytes[slot]!
  }
  expect([sub.tail, sub.available, sub.availableBytes]).toEqual([before, count, bytes])
}

/** Whether nobody waits for a group of which something can be delivered. */
const servesGroups = (own: Ownership, sub: Subscription): void => {
  const { live, at } = own.state
  const { flow, groupPolls } = own.of(sub)
  // Who is not served in this turn is in the next one; limits hold back what there is.
  if (own.dirty.has(sub) || sub.isPausedAt(at) || flow !== undefined) return
  groupPolls.each(({ group, done }) => {
    expect(done).toBe(false)
    const found = sub.groups!.find(group!)
    expect(found !== undefined && sub.groups!.isServable(found, live)).toBe(false)
  })
}
