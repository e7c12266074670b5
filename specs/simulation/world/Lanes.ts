import type { QueueAddress } from '@kiroku/message'
import type { Message } from './QueueLedger.ts'

/** A dead letter at one end of its lane. */
interface Letter {
  readonly forward: number
  readonly label: string
  readonly seq: number
  /** What it was at its source; absent where it arrived. */
  readonly message?: Message
}

/** Dead letters between two queues, in the order of the log at one end. */
export interface Lane {
  readonly source: QueueAddress
  readonly target: QueueAddress
  readonly letters: Letter[]
}

/** What one partition sent off and what it stored of others. */
export interface Lanes {
  readonly left: Map<string, Lane>
  readonly arrived: Map<string, Lane>
}

/** The lane of that direction, begun where it is not there. */
export const laneOf = (lanes: Map<string, Lane>, source: QueueAddress, target: QueueAddress): Lane => {
  const key = `${source.partition}/${source.queue} to ${target.partition}/${target.queue}`
  let lane = lanes.get(key)
  if (lane === undefined) lanes.set(key, (lane = { source, target, letters: [] }))
  return lane
}
