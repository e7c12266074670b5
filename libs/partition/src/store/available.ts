import { rangeTotal, KirokuError, pushRange, rangeFrom, type Ranges, State } from '@kiroku/protocol'
import type { PartitionState } from '../state/PartitionState.ts'
import type { Subscription } from '../state/QueueState.ts'
import { retire } from './availableList.ts'
import { readyRuns } from './readyRuns.ts'
import { takeUntouched } from './takeRuns.ts'

/** An available message, and where its body lies. */
export interface AvailableMessage {
  readonly number: number
  readonly seq: number
  readonly index: number
  readonly bytes: number
  readonly enqueuedAt: number
  readonly attempts: number
  /** When it was first delivered, in ms; 0: never, or that is not known. */
  readonly firstAt: number
}

/** The messages up to number `upTo` that a receive could get, as ranges in the order of their numbers. */
export const availableNumbers = (state: PartitionState, sub: Subscription, upTo: number): Ranges => {
  const { live, runs } = state
  const touched = new Float64Array(sub.available)
  let count = 0
  for (let slot = sub.head; slot >= 0; slot = live.next[slot]!) touched[count++] = live.number[slot]!
  touched.sort()
  let untouched: Ranges = []
  let isSorted = true
  for (const run of readyRuns(state, sub)) {
    isSorted &&= untouched.length === 0 || untouched.at(-2)! < runs.first(run)
    pushRange(untouched, runs.first(run), runs.count(run))
  }
  if (!isSorted) untouched = sorted(untouched)
  const numbers: Ranges = []
  const push = (first: number, n: number): void => {
    if (first <= upTo) pushRange(numbers, first, Math.min(n, upTo - first + 1))
  }
  let i = 0
  for (let r = 0; r < untouched.length; r += 2) {
    for (; i < count && touched[i]! < untouched[r]!; i++) push(touched[i]!, 1)
    push(untouched[r]!, untouched[r + 1]!)
  }
  for (; i < count; i++) push(touched[i]!, 1)
  return numbers
}

const sorted = (ranges: Ranges): Ranges => {
  const pairs: [number, number][] = []
  for (let i = 0; i < ranges.length; i += 2) pairs.push([ranges[i]!, ranges[i + 1]!])
  pairs.sort(([a], [b]) => a - b)
  const result: Ranges = []
  for (const [first, count] of pairs) pushRange(result, first, count)
  return result
}

/** Those of `numbers`, which are in order, that are available now, in that order. */
export const availableAmong = (
  state: PartitionState,
  sub: Subscription,
  numbers: Ranges,
): AvailableMessage[] => {
  const { runs } = state
  const { found, rest } = touchedAmong(state, sub, numbers)
  let left = rangeTotal(rest)
  for (const run of readyRuns(state, sub)) {
    if (left === 0) break
    const first = runs.first(run)
    const end = first + runs.count(run)
    for (let r = rangeFrom(rest, first); r < rest.length && rest[r]! < end; r += 2)
      for (let n = Math.max(first, rest[r]!), to = Math.min(end, rest[r]! + rest[r + 1]!); n < to; n++) {
        found.push(untouchedMessage(state, run, n))
        left--
      }
  }
  return found.sort((a, b) => a.number - b.number)
}

/** Takes available messages, whose numbers are in order, out of the subscription for good. */
export const takeAvailable = (
  state: PartitionState,
  sub: Subscription,
  numbers: Ranges,
): AvailableMessage[] => {
  const { live } = state
  const { found, rest } = touchedAmong(state, sub, numbers)
  for (const { number } of found) retire(state, sub, live.find(sub.index, number))
  takeUntouched(state, sub, rest, (run) => {
    const first = state.runs.first(run)
    for (let i = 0, count = state.runs.count(run); i < count; i++)
      found.push(untouchedMessage(state, run, first + i))
  })
  if (found.length !== rangeTotal(numbers))
    throw new KirokuError(
      'LogDamaged',
      `an event at ${state.frameSeq} moves messages of queue ${sub.queue.id} that are not available`,
    )
  return found.sort((a, b) => a.number - b.number)
}

/** Touched ones among `numbers`, and untouched ones; those that are not available are left out. */
const touchedAmong = (
  { live }: PartitionState,
  sub: Subscription,
  numbers: Ranges,
): { readonly found: AvailableMessage[]; readonly rest: Ranges } => {
  const found: AvailableMessage[] = []
  if (sub.available + sub.inflight + sub.waitingRetry === 0) return { found, rest: numbers }
  const rest: Ranges = []
  for (let i = 0; i < numbers.length; i += 2)
    for (let n = numbers[i]!, end = n + numbers[i + 1]!; n < end; n++) {
      const slot = live.find(sub.index, n)
      if (slot < 0) pushRange(rest, n, 1)
      else if (live.state[slot] === State.Available)
        found.push({
          number: n,
          seq: live.seq[slot]!,
          index: live.index[slot]!,
          bytes: live.bytes[slot]!,
          enqueuedAt: live.enqueuedAt[slot]!,
          attempts: live.attempt[slot]!,
          firstAt: live.attempt[slot] === 0 ? 0 : live.firstAt[slot]!,
        })
    }
  return { found, rest }
}

const untouchedMessage = ({ runs }: PartitionState, run: number, n: number): AvailableMessage => ({
  number: n,
  seq: runs.seq(run),
  index: runs.index(run) + n - runs.first(run),
  bytes: Math.round(runs.bytes(run) / runs.count(run)),
  enqueuedAt: runs.enqueuedAt(run),
  attempts: 0,
  firstAt: 0,
})
