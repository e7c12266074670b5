import { KirokuError, type Ranges } from '@kiroku/message'
import { RunSlab } from './state/RunSlab.ts'
import type { PartitionState } from './state/PartitionState.ts'
import type { QueueState } from './state/QueueState.ts'
import type { Snapshot } from './snapshot.ts'
import type { Turn } from './Turn.ts'
import { readyRuns } from './untouched.ts'

/** Consecutive messages whose bodies lie together in an old frame. */
export interface OldBodies {
  readonly queue: number
  readonly first: number
  readonly count: number
  readonly seq: number
  readonly index: number
  readonly bytes: number
}

/** What a state still needs of the log before `seq`: single live messages and whole runs, `max` of them at most. */
export const bodiesBefore = (s: Snapshot, seq: number, max = Number.POSITIVE_INFINITY): OldBodies[] => {
  const queues = new Map(s.queues.flatMap((q) => q.subs.map((sub) => [sub.index, q.id])))
  const old: OldBodies[] = []
  const { live } = s
  for (let i = 0; i < live.seq.length && old.length < max; i++)
    if (live.state[i] !== 255 && live.seq[i]! < seq)
      old.push({
        queue: queues.get(live.owner[i]!)!,
        first: live.number[i]!,
        count: 1,
        seq: live.seq[i]!,
        index: live.index[i]!,
        bytes: live.bytes[i]!,
      })
  const runs = RunSlab.view(s.runs)
  const add = (queue: number, run: number): void => {
    if (runs.seq(run) < seq && old.length < max)
      old.push({
        queue,
        first: runs.first(run),
        count: runs.count(run),
        seq: runs.seq(run),
        index: runs.index(run),
        bytes: runs.bytes(run),
      })
  }
  for (const q of s.queues)
    for (const sub of q.subs)
      for (const { ready } of [sub, ...(sub.groups ?? [])])
        for (let run = ready[0]; run !== 0; run = runs.next(run)) add(q.id, run)
  for (const { queue, run } of s.delayed) add(queue, run)
  return s.queues.every((q) => q.subs.length < 2) ? old : merged(old)
}

/** Subscriptions share bodies: what several of them need is carried once. */
const merged = (old: readonly OldBodies[]): OldBodies[] => {
  const result: OldBodies[] = []
  for (const next of old.toSorted((a, b) => a.queue - b.queue || a.first - b.first || b.count - a.count)) {
    const last = result.at(-1)
    if (last === undefined || last.queue !== next.queue || next.first >= last.first + last.count) {
      result.push(next)
      continue
    }
    const more = next.first + next.count - (last.first + last.count)
    if (more <= 0) continue
    const bytes = last.bytes + Math.round((next.bytes / next.count) * more)
    result[result.length - 1] = { ...last, count: last.count + more, bytes }
  }
  return result
}

/**
 * Stores bodies again in this turn's frame; what has moved on since `seq`, of which they were read, is passed over.
 */
export const decideCarry = <B>(
  turn: Turn<B>,
  carried: readonly { readonly old: OldBodies; readonly bodies: readonly B[] }[],
  seq: number,
): void => {
  const numbers = new Map<QueueState, Ranges>()
  for (const { old, bodies } of carried) {
    const queue = turn.state.queues.get(old.queue)
    // One of them may be another now.
    if (queue === undefined || queue.editedSeq > seq || !liesAt(turn.state, queue, old)) continue
    turn.addBodies(queue.id, bodies)
    const ranges = numbers.get(queue)
    if (ranges === undefined) numbers.set(queue, [old.first, old.count])
    else ranges.push(old.first, old.count)
  }
  for (const [queue, ranges] of numbers)
    turn.emit({ type: 'BodiesCarried', queue: queue.id, numbers: ranges })
}

/** Whether somebody still needs these bodies from that place. */
const liesAt = (state: PartitionState, queue: QueueState, old: OldBodies): boolean => {
  let needed = false
  eachHolder(
    state,
    queue,
    old.first,
    old.count,
    (slot) => (needed ||= state.live.seq[slot] === old.seq),
    (run) => (needed ||= state.runs.seq(run) === old.seq),
  )
  return needed
}

/** Calls back for every live message and every run that lies within `count` messages from `first` on. */
const eachHolder = (
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
export const carryBodies = (state: PartitionState, queue: QueueState, numbers: Ranges): void => {
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
