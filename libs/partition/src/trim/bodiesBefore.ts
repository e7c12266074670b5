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

/** What a state still needs of an old part of the log. */
export interface Needed {
  /** In the order of the log. */
  readonly bodies: readonly OldBodies[]
  /** How many bytes all take, about, also those beyond `max`. */
  readonly bytes: number
}

/**
 * What a state still needs of the log before `seq`: the oldest `max` live messages, runs and letters on their way, or those of one
 * frame where it alone has more. However many there are beyond, they take no memory.
 */
export const bodiesBefore = (s: Snapshot, seq: number, max = Number.POSITIVE_INFINITY): Needed => {
  const bySub = new Map<number, Map<number, number>>()
  let oldest = seq
  let bytes = 0
  eachMessage(s, (message) => {
    if (message.seq >= seq) return
    oldest = Math.min(oldest, message.seq)
    let subs = bySub.get(message.queue)
    if (subs === undefined) bySub.set(message.queue, (subs = new Map()))
    subs.set(message.sub, (subs.get(message.sub) ?? 0) + message.bytes)
  })
  // Subscriptions share bodies: what all need is about what the one needs that needs most.
  for (const subs of bySub.values()) bytes += Math.max(...subs.values())
  eachLetter(s, (letter) => {
    if (letter.seq >= seq) return
    oldest = Math.min(oldest, letter.seq)
    bytes += letter.bytes ?? letterBytes
  })
  const end = max === Number.POSITIVE_INFINITY ? seq : endOf(s, oldest, seq, max)
  const bodies = [...messagesBefore(s, end), ...lettersBefore(s, end)]
  return { bodies: bodies.sort((a, b) => a.seq - b.seq || a.index - b.index), bytes }
}

/** Parts in which a stretch of the log is counted at a time. */
const parts = 1_024

/** The frame before which `max` of them lie, from frame `oldest` on and before `seq`; behind `oldest` at least. */
const endOf = (s: Snapshot, oldest: number, seq: number, max: number): number => {
  let low = oldest
  let high = seq
  let left = max
  for (;;) {
    const width = Math.ceil((high - low) / parts)
    const counts = new Uint32Array(parts)
    const count = ({ seq: at }: { readonly seq: number }): void => {
      if (at >= low && at < high) counts[Math.floor((at - low) / width)]!++
    }
    eachMessage(s, count)
    eachLetter(s, count)
    let part = 0
    while (part < parts && counts[part]! <= left) left -= counts[part++]!
    const end = low + part * width
    if (end >= high) return high
    if (width === 1) return Math.max(end, oldest + 1)
    low = end
    high = Math.min(high, end + width)
  }
}

/** Of a letter whose size an older checkpoint did not say. */
const letterBytes = 1024

/** A live message, or a run of messages, and where its bodies lie. */
interface Message {
  queue: number
  /** Index of its subscription; -1: it is delayed, and for all of them. */
  sub: number
  first: number
  count: number
  seq: number
  index: number
  bytes: number
}

/** Calls back for every live message and every run, always with the same object: there may be millions. */
const eachMessage = (s: Snapshot, visit: (message: Readonly<Message>) => void): void => {
  const at: Message = { queue: 0, sub: 0, first: 0, count: 1, seq: 0, index: 0, bytes: 0 }
  const queues = new Map(s.queues.flatMap((q) => q.subs.map((sub) => [sub.index, q.id])))
  const { live } = s
  for (let i = 0; i < live.seq.length; i++) {
    if (live.state[i] === 255) continue
    at.sub = live.owner[i]!
    at.queue = queues.get(at.sub)!
    at.first = live.number[i]!
    at.seq = live.seq[i]!
    at.index = live.index[i]!
    at.bytes = live.bytes[i]!
    visit(at)
  }
  const runs = RunSlab.view(s.runs)
  const visitRun = (queue: number, sub: number, run: number): void => {
    at.queue = queue
    at.sub = sub
    at.first = runs.first(run)
    at.count = runs.count(run)
    at.seq = runs.seq(run)
    at.index = runs.index(run)
    at.bytes = runs.bytes(run)
    visit(at)
  }
  for (const q of s.queues)
    for (const sub of q.subs)
      for (const { ready } of [sub, ...(sub.groups ?? [])])
        for (let run = ready[0]; run !== 0; run = runs.next(run)) visitRun(q.id, sub.index, run)
  for (const { queue, run } of s.delayed) visitRun(queue, -1, run)
}

const eachLetter = (
  s: Snapshot,
  visit: (letter: { readonly seq: number; readonly bytes?: number | undefined }) => void,
): void => {
  for (const { entries } of s.outbox) for (const letter of entries) visit(letter)
}

const messagesBefore = (s: Snapshot, seq: number): OldBodies[] => {
  const old: OldBodies[] = []
  eachMessage(s, ({ queue, first, count, seq: at, index, bytes }) => {
    if (at < seq) old.push({ queue, first, count, seq: at, index, bytes })
  })
  return s.queues.every((q) => q.subs.length < 2) ? old : merged(old)
}

/** Also of letters that wait for a queue that is gone. */
const lettersBefore = (s: Snapshot, seq: number): OldBodies[] => {
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
