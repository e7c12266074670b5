import { firstPlace, KirokuError, type LogEventOf, type Ranges, rangeTotal } from '@kiroku/protocol'
import { queueOf } from '../eventTargets.ts'
import { type OutboxEntry } from '../forward/Outbox.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { QueueState } from '../state/QueueState.ts'
import { readyRuns } from '../store/readyRuns.ts'

/** Place of the first letter with this forward or a later one; they are in the order of their forwards. */
export const placeOf = (entries: readonly OutboxEntry[], forward: number): number =>
  firstPlace(entries.length, (place) => entries[place]!.forward >= forward)

/**
 * Calls back for every live message and every run that lies within one of these ranges, which are apart, with the range's place in
 * the list. However many there are, a subscription's runs are gone through once, as far as it has more of them.
 */
export const eachHolder = (
  state: PartitionState,
  queue: QueueState,
  ranges: Ranges,
  ofSlot: (slot: number, range: number) => void,
  ofRun: (run: number, range: number) => void,
): void => {
  const { live, runs } = state
  const places = Array.from({ length: ranges.length / 2 }, (_, i) => 2 * i).sort(
    (a, b) => ranges[a]! - ranges[b]!,
  )
  /** How many messages of the run lie within a range. */
  const place = (run: number): number => {
    const first = runs.first(run)
    const count = runs.count(run)
    const range = places[firstPlace(places.length, (at) => ranges[places[at]!]! > first) - 1]
    if (range === undefined || first + count > ranges[range]! + ranges[range + 1]!) return 0
    ofRun(run, range)
    return count
  }
  const messages = rangeTotal(ranges)
  for (const sub of queue.subs) {
    let left = messages
    for (let i = 0; i < ranges.length; i += 2) {
      const end = ranges[i]! + ranges[i + 1]!
      for (let n = ranges[i]!; n < end; n++) {
        const slot = live.find(sub.index, n)
        if (slot < 0) continue
        ofSlot(slot, i)
        left--
      }
    }
    if (left === 0) continue
    for (const run of readyRuns(state, sub)) {
      left -= place(run)
      if (left === 0) break
    }
  }
  if (queue.delayed > 0) for (const d of state.delayedRuns.items) if (d.queue === queue) place(d.run)
}

/** Notes the new place of bodies that were stored again. */
export const carryBodies = (
  state: PartitionState,
  { queue: id, numbers }: LogEventOf<'BodiesCarried'>,
): void => {
  const queue = queueOf(state, id)
  if (queue.frameSeq !== state.frameSeq) {
    queue.frameSeq = state.frameSeq
    queue.frameCount = 0
  }
  const { live, runs } = state
  const indexes: number[] = []
  for (let i = 0; i < numbers.length; i += 2) {
    indexes.push(queue.frameCount)
    queue.frameCount += numbers[i + 1]!
  }
  const found = new Set<number>()
  eachHolder(
    state,
    queue,
    numbers,
    (slot, i) => {
      found.add(i)
      live.seq[slot] = state.frameSeq
      live.index[slot] = indexes[i / 2]! + live.number[slot]! - numbers[i]!
    },
    (run, i) => {
      found.add(i)
      runs.move(run, state.frameSeq, indexes[i / 2]! + runs.first(run) - numbers[i]!)
    },
  )
  for (let i = 0; i < numbers.length; i += 2)
    if (!found.has(i))
      throw new KirokuError(
        'LogDamaged',
        `record ${state.frameSeq} carries the body of message ${numbers[i]} of queue ${queue.id}, which is not there`,
      )
}

/** Notes the new place of the bodies of letters that were stored again. */
export const carryLetters = (state: PartitionState, e: LogEventOf<'LettersCarried'>): void => {
  const { source, target, forwards } = e
  const entries = state.lane(source, target)?.entries ?? []
  let { index } = e
  for (let i = 0; i < forwards.length; i += 2) {
    const first = forwards[i]!
    const place = placeOf(entries, first)
    for (let k = 0; k < forwards[i + 1]!; k++) {
      const entry = entries[place + k]
      if (entry?.forward !== first + k)
        throw new KirokuError(
          'LogDamaged',
          `record ${state.frameSeq} carries the body of forward ${first + k} of queue ${source}, which is not on its way`,
        )
      // A snapshot may share the entry.
      entries[place + k] = { ...entry, seq: state.frameSeq, index: index++ }
    }
  }
  const queue = state.queues.get(source)
  if (queue === undefined) return
  queue.frameSeq = state.frameSeq
  queue.frameCount = index
}
