import type { QueueAddress } from '@kiroku/protocol'
import type { Message } from './QueueLedger.ts'

/** A dead letter at one end of its lane. */
interface Letter {
  readonly forward: number
  readonly label: string
  readonly seq: number
  /** What it was at its source, and the last record that holds its body there; absent where it arrived. */
  readonly message?: Message
  bodySeq?: number
}

/** Dead letters between two queues, in the order of the log at one end. */
export interface Lane {
  readonly source: QueueAddress
  readonly target: QueueAddress
  letters: Letter[]
}

/** What one partition sent off and what it stored of others. */
export interface Lanes {
  readonly left: Map<string, Lane>
  readonly arrived: Map<string, Lane>
}

/** The key of a lane, at both of its ends. */
export const laneKey = (source: QueueAddress, target: QueueAddress): string =>
  `${source.partition}/${source.queue} to ${target.partition}/${target.queue}`

/** The lane of that direction, begun where it is not there. */
export const laneOf = (lanes: Map<string, Lane>, source: QueueAddress, target: QueueAddress): Lane => {
  const key = laneKey(source, target)
  let lane = lanes.get(key)
  if (lane === undefined) lanes.set(key, (lane = { source, target, letters: [] }))
  return lane
}
