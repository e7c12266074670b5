import type { QueueAddress } from '@kiroku/protocol'
import type { Snapshot } from '../snapshot/Snapshot.ts'
import { RunSlab } from '../store/RunSlab.ts'

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

/** What a state still needs of the log before `seq`: live messages, runs, and letters on their way, `max` of them at most. */
export const bodiesBefore = (s: Snapshot, seq: number, max = Number.POSITIVE_INFINITY): OldBodies[] => {
  const old = messagesBefore(s, seq, max)
  return [...old, ...lettersBefore(s, seq, max - old.length)]
}

const messagesBefore = (s: Snapshot, seq: number, max: number): OldBodies[] => {
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

/** Also of letters that wait for a queue that is gone. */
const lettersBefore = (s: Snapshot, seq: number, max: number): OldBodies[] => {
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
