import { pushRange, type Ranges } from '@kiroku/protocol'
import type { Turn } from '../Turn.ts'
import { type OutboxLane } from '../forward/Outbox.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { QueueState } from '../state/QueueState.ts'
import type { OldBodies } from './bodiesBefore.ts'
import { eachHolder, placeOf } from './evolveCarry.ts'

/** Bodies as they were read, and where they lay. */
export interface CarriedBodies<B> {
  readonly old: OldBodies
  readonly bodies: readonly B[]
}

/**
 * Stores bodies again in this turn's frame; what has moved on since `seq`, of which they were read, is passed over.
 */
export const decideCarry = <B>(turn: Turn<B>, carried: readonly CarriedBodies<B>[], seq: number): void => {
  const numbers = new Map<QueueState, Ranges>()
  const letters: CarriedBodies<B>[] = []
  for (const each of carried) {
    const { old, bodies } = each
    if (old.target !== undefined) {
      letters.push(each)
      continue
    }
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
  decideCarryLetters(turn, letters)
}

/** Those that have arrived meanwhile, or went elsewhere, are passed over. */
const decideCarryLetters = <B>(turn: Turn<B>, carried: readonly CarriedBodies<B>[]): void => {
  const lanes = new Map<OutboxLane, { readonly forwards: Ranges; readonly bodies: B[] }>()
  for (const { old, bodies: all } of carried) {
    const lane = turn.state.lane(old.queue, old.target!)
    if (lane === undefined) continue
    let found = lanes.get(lane)
    if (found === undefined) lanes.set(lane, (found = { forwards: [], bodies: [] }))
    for (let i = 0; i < old.count; i++) {
      const entry = lane.entries[placeOf(lane.entries, old.first + i)]
      const isThere =
        entry?.forward === old.first + i && entry.seq === old.seq && entry.index === old.index + i
      if (!isThere) continue
      pushRange(found.forwards, old.first + i, 1)
      found.bodies.push(all[i]!)
    }
  }
  for (const [{ source, target }, { forwards, bodies }] of lanes) {
    if (bodies.length === 0) continue
    const index = turn.sections.get(source)?.bodies.length ?? 0
    turn.addBodies(source, bodies)
    turn.emit({ type: 'LettersCarried', source, target, forwards, index })
  }
}

/** Whether these bodies are still needed from that place. */
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
