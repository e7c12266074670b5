import { KirokuError, type LogEventOf, pushRange, type QueueAddress, type Ranges } from '@kiroku/protocol'
import type { Turn } from '../Turn.ts'
import { queueOf } from '../eventTargets.ts'
import { laneKey, type OutboxEntry, type OutboxLane } from '../forward/Outbox.ts'
import type { Snapshot } from '../snapshot/Snapshot.ts'
import type { PartitionState } from '../state/PartitionState.ts'
import type { QueueState } from '../state/QueueState.ts'
import { RunSlab } from '../store/RunSlab.ts'
import { firstPlace } from '../store/firstPlace.ts'
import { readyRuns } from '../store/readyRuns.ts'

/** Consecutive messages whose bodies lie together in an old frame. */
export interface OldBodies {
  readonly queue: number
  /** Where they are on their way to, and `first` is a forward; absent: they are in the queue. */
  readonly target?: QueueAddress
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

/** Of a letter whose size an older checkpoint did not say. */
const letterBytes = 1024

/** The same for the letters that are on their way, also for those that wait for a queue that is gone. */
export const lettersBefore = (s: Snapshot, seq: number, max: number): OldBodies[] => {
  const old: OldBodies[] = []
  for (const { source, target, entries } of s.outbox) {
    let last: { -readonly [K in keyof OldBodies]: OldBodies[K] } | undefined
    for (const { forward, seq: at, index, bytes = letterBytes } of entries) {
      if (at >= seq) continue
      if (last?.seq === at && last.first + last.count === forward && last.index + last.count === index) {
        last.count++
        last.bytes += bytes
        continue
      }
      if (old.length >= max) return old
      last = { queue: source, target, first: forward, count: 1, seq: at, index, bytes }
      old.push(last)
    }
  }
  return old
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
  const letters: { readonly old: OldBodies; readonly bodies: readonly B[] }[] = []
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
const decideCarryLetters = <B>(
  turn: Turn<B>,
  carried: readonly { readonly old: OldBodies; readonly bodies: readonly B[] }[],
): void => {
  const lanes = new Map<OutboxLane, { readonly forwards: Ranges; readonly bodies: B[] }>()
  for (const { old, bodies: all } of carried) {
    const lane = turn.state.outbox.get(laneKey(old.queue, old.target!))
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

/** Place of the first letter with this forward or a later one; they are in the order of their forwards. */
const placeOf = (entries: readonly OutboxEntry[], forward: number): number =>
  firstPlace(entries.length, (place) => entries[place]!.forward >= forward)

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
  const entries = state.outbox.get(laneKey(source, target))?.entries ?? []
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
