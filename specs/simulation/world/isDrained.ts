import { isFinal } from './Ledger.ts'
import type { World } from './World.ts'

/** Whether everybody has sent all, everything is final, and every dead letter arrived. */
export const isDrained = ({ truth, producersLeft }: World): boolean => {
  if (producersLeft > 0) return false
  for (const { queues, lanes } of truth.ledgers) {
    for (const { messages } of queues.values())
      for (const { lives } of messages.values())
        for (const { state } of lives.values()) if (!isFinal(state)) return false
    for (const [key, { target, letters }] of lanes.left) {
      const there = truth.ledgers[target.partition]!
      if (there.queues.get(target.queue)?.isDeleted !== false) continue
      const arrived = there.lanes.arrived.get(key)?.letters.at(-1)?.forward ?? 0
      if ((letters.at(-1)?.forward ?? 0) > arrived) return false
    }
  }
  return true
}
