import { type Ledger } from './Ledger.ts'
import { isFinal } from './Life.ts'
import type { World } from './World.ts'

/** Whether all is sent, everything is final, and every dead letter arrived. */
export const isDrained = (world: World): boolean => {
  const { truth, producersLeft, deedsLeft, hurts } = world
  if (producersLeft > 0 || deedsLeft > 0) return false
  for (const { queues, lanes, redrives } of truth.ledgers) {
    if (redrives.size > 0) return false
    for (const { home, isDeleted } of queues.values())
      if (home !== undefined && !isDeleted && hurts.size === 0) return false
    for (const { generations, isDeleted } of queues.values())
      for (const { past, isOver } of generations.values())
        if (past !== undefined && !isOver && !isDeleted) return false
    for (const { messages } of queues.values())
      for (const { lives } of messages.values())
        for (const { state } of lives.values()) if (!isFinal(state)) return false
    for (const [key, { source, target, letters }] of lanes.left) {
      // Where one end was lost in part, only the source's owner knows what is still to come.
      if (hurts.has(source.partition) || hurts.has(target.partition)) {
        if (hasOutbox(world, source.partition)) return false
        continue
      }
      const there = truth.ledgers[target.partition]!
      if (!hasHeir(there, target.queue)) continue
      const arrived = there.lanes.arrived.get(key)?.letters.at(-1)?.forward ?? 0
      if ((letters.at(-1)?.forward ?? 0) > arrived) return false
    }
  }
  return true
}

/** Whether letters for a queue can arrive: it exists, or another with its name does. */
const hasHeir = ({ queues }: Ledger, id: number): boolean => {
  const name = queues.get(id)?.name
  for (const queue of queues.values()) if (queue.name === name && !queue.isDeleted) return true
  return false
}

const hasOutbox = ({ placement }: World, partition: number): boolean => {
  const actor = placement.ownerOf(partition)?.node.actors.get(partition)
  if (actor?.life !== 'Active') return true
  for (const { entries } of actor.state.outbox.values()) if (entries.length > 0) return true
  return false
}
