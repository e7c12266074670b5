import { firstPlace, KirokuError, type LogEventOf } from '@kiroku/protocol'
import { queueOf } from '../eventTargets.ts'
import { type OutboxEntry } from '../forward/Outbox.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { QueueState } from '../state/QueueState.ts'
import { readyRuns } from '../store/readyRuns.ts'

/** Place of the first letter with this forward or a later one; they are in the order of their forwards. */
export const placeOf = (entries: readonly OutboxEntry[], forward: number): number =>
  firstPlace(entries.length, (place) => entries[place]!.forward >= forward)

/** Calls back for every live message and every run that lies within `count` messages from `first` on. */
export const eachHolder = (
  state: PartitionState,
  queue: QueueState,
  first: number,
  count: number,
  ofSlot: (slot: number) => void,
  ofRun: (run: number) => void,
): void => {
  const { live, runs } = state
  const end = first + count
  const isWithin = (run: number): boolean =>
    runs.first(run) >= first && runs.first(run) + runs.count(run) <= end
  for (const sub of queue.subs) {
    for (let n = first; n < end; n++) {
      const slot = live.find(sub.index, n)
      if (slot >= 0) ofSlot(slot)
    }
    for (const run of readyRuns(state, sub)) if (isWithin(run)) ofRun(run)
  }
  if (queue.delayed > 0)
    for (const d of state.delayedRuns.items) if (d.queue === queue && isWithin(d.run)) ofRun(d.run)
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
  for (let i = 0; i < numbers.length; i += 2) {
    const first = numbers[i]!
    const count = numbers[i + 1]!
    const index = queue.frameCount
    queue.frameCount += count
    let found = false
    eachHolder(
      state,
      queue,
      first,
      count,
      (slot) => {
        found = true
        live.seq[slot] = state.frameSeq
        live.index[slot] = index + live.number[slot]! - first
      },
      (run) => {
        found = true
        runs.move(run, state.frameSeq, index + runs.first(run) - first)
      },
    )
    if (!found)
      throw new KirokuError(
        'LogDamaged',
        `record ${state.frameSeq} carries the body of message ${first} of queue ${queue.id}, which is not there`,
      )
  }
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
