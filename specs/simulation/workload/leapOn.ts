import { isFinal } from '../world/Life.ts'
import type { World } from '../world/World.ts'

/** Nobody waits longer for anything, in ms of virtual time. */
const patienceMs = 10_000
/** What began to wait within this time continues together. */
const togetherMs = 20_000
const lookMs = 300
/** Looks without a delivery after which what is available waits for what is not. */
const looksWithout = 7

/** Once nothing but time is missing, lets the hours and days go by that something still waits for. */
export const leapOn = async (world: World): Promise<void> => {
  const { loop, truth } = world
  let before = -1
  let looks = 0
  while (!world.isOver) {
    await new Promise<void>((resolve) => loop.after(lookMs, resolve, null))
    const delivered = truth.ledgers.reduce((sum, { deliveries }) => sum + deliveries.size, 0)
    looks = delivered === before ? looks + 1 : 0
    before = delivered
    const { waitMs, areSomeAvailable } = waitsOf(world)
    if (waitMs < patienceMs || waitMs === Infinity) continue
    if (!areSomeAvailable || looks >= looksWithout) world.leap(waitMs + togetherMs)
  }
}

/** How long it takes until the next delayed message continues, 0 if unknown; and whether there are others. */
const waitsOf = ({ truth, placement }: World): { waitMs: number; areSomeAvailable: boolean } => {
  let waitMs = Infinity
  let areSomeAvailable = false
  for (const { partition, queues } of truth.ledgers) {
    const actor = placement.ownerOf(partition)?.node.actors.get(partition)
    if (actor?.life !== 'Active') return { waitMs: 0, areSomeAvailable }
    for (const { messages, generations } of queues.values())
      for (const { lives } of messages.values())
        for (const [sub, { state, dueAt, leaseUntil }] of lives) {
          if (isFinal(state) || generations.get(sub)!.isOver) continue
          if (state === 'Available') areSomeAvailable = true
          else waitMs = Math.min(waitMs, (state === 'Inflight' ? leaseUntil : dueAt) - actor.now())
        }
  }
  return { waitMs, areSomeAvailable }
}
