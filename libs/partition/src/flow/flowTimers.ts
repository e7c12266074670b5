import type { Turn } from '../Turn.ts'
import type { Ownership } from '../ownership/Ownership.ts'
import type { Subscription } from '../state/QueueState.ts'
import type { Flow } from './Flow.ts'

/** Makes the partition look at the subscription again when its rate allows this many messages. */
export const wakeFlow = <B>(turn: Turn<B>, sub: Subscription, flow: Flow, messages: number): void => {
  const at = flow.tokensAt(messages)
  if (at <= turn.now || at >= flow.wakeAt) return
  flow.wakeAt = at
  turn.own.flowTimers.push({ sub, flow, at })
}

/** Looks again at the subscriptions whose rate allows more by now. */
export const fireFlows = (own: Ownership, now: number): void => {
  const { flowTimers, dirty } = own
  for (let top = flowTimers.peek(); top !== undefined && top.at <= now; top = flowTimers.peek()) {
    flowTimers.pop()
    if (top.at !== top.flow.wakeAt) continue
    top.flow.wakeAt = Number.POSITIVE_INFINITY
    if (own.flowOf(top.sub) === top.flow) dirty.add(top.sub)
  }
}
