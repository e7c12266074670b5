import { stateNames } from '@kiroku/protocol'
import type { MomentMessage } from './QueueMoment.ts'
import type { StandingMessage } from './messageSpans.ts'

/** A message as it is shown: without the place of its body. */
export const momentMessage = (id: string, partition: number, message: StandingMessage): MomentMessage => {
  const { seq: _, index: __, state, ...rest } = message
  return { messageId: id, partition, ...rest, state: stateNames[state] }
}
