import { KirokuError } from '@kiroku/protocol'
import type { Turn } from './Turn.ts'
import type { QueueState, Subscription } from './state/QueueState.ts'

/** The queue of that name, or an `UnknownQueue` answer. */
export const namedQueue = <B>(turn: Turn<B>, name: string, token: number): QueueState | undefined => {
  const queue = turn.state.names.get(name)
  if (queue === undefined) turn.refuse(token, new KirokuError('UnknownQueue', `there is no queue "${name}"`))
  return queue
}

/** The subscription of that name, or an `UnknownQueue` or `UnknownSubscription` answer. */
export const namedSubscription = <B>(
  turn: Turn<B>,
  queue: string,
  name: string,
  token: number,
): Subscription | undefined => {
  const found = namedQueue(turn, queue, token)
  if (found === undefined) return undefined
  const sub = found.named(name)
  if (sub === undefined)
    turn.refuse(
      token,
      new KirokuError('UnknownSubscription', `queue "${queue}" has no subscription "${name}"`),
    )
  return sub
}

/** The queue of that name for who changes it; a part is changed by its home alone. */
export const homeQueue = <B>(turn: Turn<B>, name: string, token: number): QueueState | undefined => {
  const queue = namedQueue(turn, name, token)
  if (queue?.place === undefined) return queue
  const { partition } = queue.place.home
  turn.refuse(token, new KirokuError('QueueMoved', `partition ${partition} is the home of queue "${name}"`))
  return undefined
}

/** The subscription of that name for who changes it. */
export const homeSubscription = <B>(
  turn: Turn<B>,
  queue: string,
  name: string,
  token: number,
): Subscription | undefined =>
  turn.state.names.get(queue)?.place === undefined
    ? namedSubscription(turn, queue, name, token)
    : void homeQueue(turn, queue, token)
