import type { PartitionState, QueueState, Subscription } from '@kiroku/partition'
import { firstPlace, State } from '@kiroku/protocol'
import {
  messageOf,
  runsByGroup,
  spanOfRun,
  spanOfSlot,
  type MessageSpan,
  type StandingMessage,
} from './messageSpans.ts'

/** A message in the order of a list: generation of its subscription (-1: it waits for its time), then its number. */
export interface MessagePlace {
  readonly sub: number
  readonly number: number
}

/** Which messages to list. */
export interface ListOptions {
  readonly max: number
  /** Only those behind this one. */
  readonly after?: MessagePlace
  /** Only these states, or the subscription of this name; what waits for its time is of none. */
  readonly states?: readonly State[]
  readonly subscription?: string
}

/** Some messages of a queue, and how many match the request. */
export interface MessageList {
  readonly messages: readonly StandingMessage[]
  readonly total: number
  /** The last one that is listed, when others are behind it. */
  readonly next?: MessagePlace
}

/**
 * What is not final in a queue: first what waits for its time, then what each subscription has, in the order of
 * numbers each. Looks at every run and every live message once, and makes only what it lists.
 */
export const listMessages = (state: PartitionState, queue: QueueState, options: ListOptions): MessageList => {
  const { max, after = { sub: -2, number: 0 }, states, subscription } = options
  const wants = (s: State): boolean => states === undefined || states.includes(s)
  const messages: StandingMessage[] = []
  let total = 0
  let last: MessagePlace | undefined
  let next: MessagePlace | undefined
  const list = (sub: number, count: number, fill: (spans: FirstSpans) => void): void => {
    total += count
    if (count === 0 || sub < after.sub || next !== undefined) return
    // One more than is listed shows whether there is more.
    const from = sub === after.sub ? after.number + 1 : 0
    const spans = new FirstSpans(from, max - messages.length + 1)
    fill(spans)
    for (const span of spans.all)
      for (let n = Math.max(from, span.first), end = span.first + span.count; n < end; n++) {
        if (messages.length === max) {
          next ??= last ?? after
          return
        }
        messages.push(messageOf(state, span, n))
        last = { sub, number: n }
      }
  }
  if (subscription === undefined && wants(State.Delayed))
    list(-1, queue.delayed, (spans) => {
      for (const { queue: of, run, group } of state.delayedRuns.items)
        if (of === queue && spans.wants(state.runs.first(run), state.runs.count(run)))
          spans.add(spanOfRun(state, undefined, run, State.Delayed, group))
    })
  for (const sub of queue.subs) {
    if (subscription !== undefined && sub.name !== subscription) continue
    list(sub.id, countOf(sub, wants), (spans) => {
      if (wants(State.Available)) addUntouched(state, sub, spans)
      addTouched(state, sub, wants, spans)
    })
  }
  return { messages, total, ...(next === undefined ? {} : { next }) }
}

const countOf = (sub: Subscription, wants: (s: State) => boolean): number =>
  (wants(State.Available) ? sub.deliverable : 0) +
  (wants(State.Inflight) ? sub.inflight : 0) +
  (wants(State.WaitingRetry) ? sub.waitingRetry : 0)

const addUntouched = (state: PartitionState, sub: Subscription, spans: FirstSpans): void => {
  const { runs } = state
  for (const [run, group] of runsByGroup(state, sub))
    if (spans.wants(runs.first(run), runs.count(run)))
      spans.add(spanOfRun(state, sub, run, State.Available, group))
}

const addTouched = (
  state: PartitionState,
  sub: Subscription,
  wants: (s: State) => boolean,
  spans: FirstSpans,
): void => {
  const { live } = state
  for (let slot = 0; slot < live.top; slot++) {
    const of = live.state[slot]!
    if (live.isFree(slot) || live.owner[slot] !== sub.index || !wants(of as State)) continue
    if (spans.wants(live.number[slot]!, 1)) spans.add(spanOfSlot(state, sub, slot))
  }
}

/** The spans with the lowest numbers among all that are offered. */
class FirstSpans {
  readonly all: MessageSpan[] = []
  readonly #from: number
  readonly #max: number

  constructor(from: number, max: number) {
    this.#from = from
    this.#max = max
  }

  wants(first: number, count: number): boolean {
    if (first + count <= this.#from) return false
    return this.all.length < this.#max || first < this.all.at(-1)!.first
  }

  add(span: MessageSpan): void {
    const { all } = this
    if (all.length === this.#max) all.pop()
    all.splice(
      firstPlace(all.length, (place) => all[place]!.first >= span.first),
      0,
      span,
    )
  }
}
