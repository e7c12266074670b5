import type { PartitionState, QueueState, Subscription } from '@kiroku/partition'
import { State } from '@kiroku/protocol'

/** Consecutive messages in the same state: untouched ones of a run, or one that was delivered or changed. */
export interface MessageSpan {
  readonly first: number
  readonly count: number
  readonly state: State
  readonly attempt: number
  /** Undefined of what waits for its time, for all subscriptions together. */
  readonly sub: Subscription | undefined
  /** Its place: a run, or with `isTouched` a slot. */
  readonly place: number
  readonly isTouched: boolean
  readonly group: string
}

/** A message of a queue that is not final. */
export interface StandingMessage {
  readonly number: number
  /** Absent: it is delayed, for all subscriptions. */
  readonly subscription?: string
  readonly state: State
  readonly attempt: number
  readonly enqueuedAt: number
  /** The place of its body: a frame, and the place among the queue's bodies there. */
  readonly seq: number
  readonly index: number
  readonly bytes: number
  readonly group?: string
  /** When its delay or its pause ends. */
  readonly dueAt?: number
  /** Of one in flight. */
  readonly delivery?: number
  readonly leaseUntil?: number
}

/**
 * Everything in a queue that is not final: first what waits for its time, then what each subscription has, in the
 * order of numbers each.
 */
export const messageSpans = (state: PartitionState, queue: QueueState): MessageSpan[] => {
  const spans: MessageSpan[] = []
  for (const { queue: of, run, group } of state.delayedRuns.items)
    if (of === queue) spans.push(spanOfRun(state, undefined, run, State.Delayed, group))
  const touched = touchedOf(state, queue)
  let begin = 0
  const inOrder = (): void => {
    const own = spans.splice(begin)
    own.sort((a, b) => a.first - b.first)
    for (const span of own) spans.push(span)
    begin = spans.length
  }
  inOrder()
  for (const sub of queue.subs) {
    for (const [run, group] of runsByGroup(state, sub))
      spans.push(spanOfRun(state, sub, run, State.Available, group))
    for (const slot of touched.get(sub) ?? []) spans.push(spanOfSlot(state, sub, slot))
    inOrder()
  }
  return spans
}

/** One message of a span. */
export const messageOf = ({ runs, live }: PartitionState, span: MessageSpan, n: number): StandingMessage => {
  const { place, sub, group } = span
  const shared = {
    number: n,
    ...(sub === undefined ? {} : { subscription: sub.name }),
    state: span.state,
    attempt: span.attempt,
    ...(group === '' ? {} : { group }),
  }
  if (!span.isTouched)
    return {
      ...shared,
      enqueuedAt: runs.enqueuedAt(place),
      seq: runs.seq(place),
      index: runs.index(place) + n - span.first,
      bytes: Math.round(runs.bytes(place) / span.count),
      ...(span.state === State.Delayed ? { dueAt: runs.dueAt(place) } : {}),
    }
  return {
    ...shared,
    enqueuedAt: live.enqueuedAt[place]!,
    seq: live.seq[place]!,
    index: live.index[place]!,
    bytes: live.bytes[place]!,
    ...(span.state === State.WaitingRetry ? { dueAt: live.deadline[place]! } : {}),
    ...(span.state === State.Inflight
      ? { delivery: live.delivery[place]!, leaseUntil: live.deadline[place]! }
      : {}),
  }
}

/** The runs of a subscription that are available, each with its group. */
export function* runsByGroup(
  { runs }: PartitionState,
  sub: Subscription,
): Generator<readonly [run: number, group: string], void> {
  for (const group of sub.groups?.all() ?? [undefined]) {
    const key = group?.key ?? ''
    for (let run = (group ?? sub).readyHead; run !== 0; run = runs.next(run)) yield [run, key]
  }
}

/** A run as a span. */
export const spanOfRun = (
  { runs }: PartitionState,
  sub: Subscription | undefined,
  run: number,
  state: State,
  group: string,
): MessageSpan => ({
  first: runs.first(run),
  count: runs.count(run),
  state,
  attempt: 0,
  sub,
  place: run,
  isTouched: false,
  group,
})

/** A live message as a span. */
export const spanOfSlot = ({ live }: PartitionState, sub: Subscription, slot: number): MessageSpan => {
  const first = live.number[slot]!
  return {
    first,
    count: 1,
    state: live.state[slot] as State,
    attempt: live.attempt[slot]!,
    sub,
    place: slot,
    isTouched: true,
    group: sub.groups?.ofSlot(live, slot).key ?? '',
  }
}

const touchedOf = (
  { live, subscriptions }: PartitionState,
  queue: QueueState,
): Map<Subscription, number[]> => {
  const touched = new Map<Subscription, number[]>()
  for (let slot = 0; slot < live.top; slot++) {
    if (live.isFree(slot)) continue
    const sub = subscriptions[live.owner[slot]!]!
    if (sub.queue !== queue) continue
    const slots = touched.get(sub)
    if (slots === undefined) touched.set(sub, [slot])
    else slots.push(slot)
  }
  return touched
}
