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
  const queues = new Map<QueueState, CarriedBodies<B>[]>()
  const letters: CarriedBodies<B>[] = []
  for (const each of carried) {
    const { old } = each
    if (old.target !== undefined) {
      letters.push(each)
      continue
    }
    const queue = turn.state.queues.get(old.queue)
    // One of them may be another now.
    if (queue === undefined || queue.editedSeq > seq) continue
    const found = queues.get(queue)
    if (found === undefined) queues.set(queue, [each])
    else found.push(each)
  }
  for (const [queue, all] of queues) {
    const needed = stillThere(turn.state, queue, all)
    if (needed.length === 0) continue
    for (const { bodies } of needed) turn.addBodies(queue.id, bodies)
    const numbers = needed.flatMap(({ old }) => [old.first, old.count])
    turn.emit({ type: 'BodiesCarried', queue: queue.id, numbers })
  }
  decideCarryLetters(turn, letters)
}

/** Those that have arrived meanwhile, or went elsewhere, are passed over. */
const decideCarryLetters = <B>(turn: Turn<B>, carried: readonly CarriedBodies<B>[]): void => {
  const lanes = new Map<OutboxLane, { readonly forwards: Ranges; readonly bodies: B[] }>()
  // A lane is in the order of its forwards, which its bodies need not be.
  for (const { old, bodies: all } of carried.toSorted((a, b) => a.old.first - b.old.first)) {
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

/** Those of a queue that are still needed from where they were read. */
const stillThere = <B>(
  state: PartitionState,
  queue: QueueState,
  all: readonly CarriedBodies<B>[],
): CarriedBodies<B>[] => {
  const needed = new Set<number>()
  const look = (seq: number, range: number): void => {
    if (all[range / 2]!.old.seq === seq) needed.add(range / 2)
  }
  eachHolder(
    state,
    queue,
    all.flatMap(({ old }) => [old.first, old.count]),
    (slot, range) => look(state.live.seq[slot]!, range),
    (run, range) => look(state.runs.seq(run), range),
  )
  return all.filter((_, i) => needed.has(i))
}
