import { KirokuError, type Ranges } from '@kiroku/message'
import { RunSlab } from './state/RunSlab.ts'
import type { PartitionState } from './state/PartitionState.ts'
import type { QueueState } from './state/QueueState.ts'
import type { Snapshot } from './snapshot.ts'
import type { Turn } from './Turn.ts'

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
  const queues = new Map(s.queues.map((q) => [q.index, q.id]))
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
  for (const q of s.queues) for (let run = q.ready[0]; run !== 0; run = runs.next(run)) add(q.id, run)
  for (const [queue, run] of s.delayed) add(queue, run)
  return old
}

/** Stores bodies again in this turn's frame; what has moved on since they were read is passed over. */
export const decideCarry = <B>(
  turn: Turn<B>,
  carried: readonly { readonly old: OldBodies; readonly bodies: readonly B[] }[],
): void => {
  const numbers = new Map<QueueState, Ranges>()
  for (const { old, bodies } of carried) {
    const queue = turn.state.queues.get(old.queue)
    if (queue === undefined || !liesAt(turn.state, queue, old)) continue
    turn.addBodies(queue.id, bodies)
    const ranges = numbers.get(queue)
    if (ranges === undefined) numbers.set(queue, [old.first, old.count])
    else ranges.push(old.first, old.count)
  }
  for (const [queue, ranges] of numbers)
    turn.emit({ type: 'BodiesCarried', queue: queue.id, numbers: ranges })
}

const liesAt = (state: PartitionState, queue: QueueState, old: OldBodies): boolean => {
  const slot = state.live.find(queue.main.index, old.first)
  if (slot >= 0)
    return old.count === 1 && state.live.seq[slot] === old.seq && state.live.index[slot] === old.index
  const run = runAt(state, queue, old.first)
  return run !== 0 && state.runs.count(run) === old.count && state.runs.seq(run) === old.seq
}

/** The run that begins with message `first`, ready or delayed; 0 when there is none. */
const runAt = (state: PartitionState, queue: QueueState, first: number): number => {
  for (let run = queue.readyHead; run !== 0; run = state.runs.next(run))
    if (state.runs.first(run) === first) return run
  return state.delayedRuns.items.find((d) => d.queue === queue && state.runs.first(d.run) === first)?.run ?? 0
}

/** Notes the new place of bodies that were stored again. */
export const carryBodies = (state: PartitionState, queue: QueueState, numbers: Ranges): void => {
  if (queue.frameSeq !== state.frameSeq) {
    queue.frameSeq = state.frameSeq
    queue.frameCount = 0
  }
  for (let i = 0; i < numbers.length; i += 2) {
    const first = numbers[i]!
    const index = queue.frameCount
    queue.frameCount += numbers[i + 1]!
    const slot = state.live.find(queue.main.index, first)
    if (slot >= 0) {
      state.live.seq[slot] = state.frameSeq
      state.live.index[slot] = index
      continue
    }
    const run = runAt(state, queue, first)
    if (run === 0)
      throw new KirokuError(
        'LogDamaged',
        `record ${state.frameSeq} carries the body of message ${first} of queue ${queue.id}, which is not there`,
      )
    state.runs.move(run, state.frameSeq, index)
  }
}
