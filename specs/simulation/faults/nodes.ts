import type { Chance } from '../core/Chance.ts'
import type { NodeProcess } from '../world/NodeProcess.ts'
import type { World } from '../world/World.ts'

/**
 * Moves a partition to another node. `cutOff`: the lock of the owner runs out without it knowing, and it
 * continues until it finds out; `atOnce`: the same without waiting for the lock, so that both hold it;
 * `handOver`: it lets go first.
 */
export const changeOwner = (world: World, chance: Chance, how: 'cutOff' | 'atOnce' | 'handOver'): void => {
  const { placement, loop } = world
  const partition = chance.below(world.plan.partitions)
  const owner = placement.ownerOf(partition)
  const standby = placement.standbyOf(partition)
  const next = standby === undefined || standby === owner ? world.spareNode(owner) : standby
  const claim = placement.claimOf(partition)
  if (next !== owner) next.mayLoadAhead(partition)
  const takeOver = (): void => {
    if (placement.claimOf(partition) !== claim) return
    const taker = next.party.isDead ? world.spareNode(owner) : next
    placement.give(partition, taker)
    beset(world, chance, taker)
  }
  /** The earlier owner is told at some time, or finds out. */
  const tell = (): void => {
    if (owner === undefined || chance.happens(0.3)) return
    loop.after(
      chance.pick([50, 3_000]),
      () => {
        if (placement.ownerOf(partition) !== owner)
          world.start(`${owner.name} lets ${partition} go`, owner.release(partition))
      },
      owner.party,
    )
  }
  if (how === 'atOnce') {
    if (next !== owner) placement.giveTwice(partition, next, chance.pick([0, 2_000, 8_000]))
    beset(world, chance, next)
    return tell()
  }
  if (how === 'cutOff') {
    // What cuts a node off from its lock often slows its log down too.
    if (owner !== undefined && chance.happens(0.5)) slowDown(world, chance, owner, 8_000)
    loop.after(
      placement.cutOff(partition) - loop.nowMs,
      () => {
        takeOver()
        tell()
      },
      null,
    )
    return
  }
  if (owner === undefined || owner.party.isDead) return takeOver()
  placement.leaving(partition)
  const letGo = async (): Promise<void> => {
    // It stood still meanwhile, and others went on without it.
    if (placement.claimOf(partition) !== claim) return
    await owner.release(partition)
    loop.after(0, takeOver, null)
  }
  loop.after(0, () => world.start(`${owner.name} hands ${partition} over`, letGo()), owner.party)
  // A node that dies while it hands over does not come to the end of that.
  loop.after(15_000, takeOver, null)
}

/** Ends a node's process, at this step or at one of those that follow. */
export const crash = (world: World, chance: Chance): void => {
  const alive = world.placement.processes.filter((p) => !p.party.isDead)
  if (alive.length === 0) return
  const { party } = chance.pick(alive)
  party.stepsLeft = Math.min(party.stepsLeft, chance.pick([0, 3, 20, 100, 400]))
}

/** Stops a node for a while, as a debugger or a long pause for garbage does; often in the middle of a take-over. */
export const freeze = (world: World, chance: Chance): void => {
  const alive = world.placement.processes.filter((p) => !p.party.isDead)
  if (alive.length === 0) return
  const begins = alive.filter(({ node }) => [...node.actors.values()].some(({ life }) => life !== 'Active'))
  const process = chance.pick(begins.length > 0 ? begins : alive)
  const ms = chance.pick([30, 700, 6_000])
  standStill(world, process, ms)
}

const standStill = (world: World, { party, name }: NodeProcess, ms: number): void => {
  party.frozenUntilMs = world.loop.nowMs + ms
  world.history.note(() => `${name} stands still for ${ms} ms`)
  // Its locks run out meanwhile, and another node takes over.
  if (ms > 3_000) for (let p = 0; p < world.plan.partitions; p++) world.placement.standsStill(p, party)
}

/** What may befall a node soon after it got a partition: at some step of its taking over. */
const beset = (world: World, chance: Chance, process: NodeProcess): void => {
  const { loop } = world
  const { party } = process
  const soonMs = chance.below(6)
  if (chance.happens(0.1)) party.stepsLeft = Math.min(party.stepsLeft, chance.below(30))
  else if (chance.happens(0.25)) {
    const ms = chance.pick([700, 6_000, 6_000])
    loop.after(soonMs, () => party.isDead || standStill(world, process, ms), null)
  } else if (chance.happens(0.15)) slowDown(world, chance, process)
}

/** Has the log answer one node late for a while, as over a bad line. */
export const lag = (world: World, chance: Chance): void => {
  const alive = world.placement.processes.filter((p) => !p.party.isDead)
  if (alive.length > 0) slowDown(world, chance, chance.pick(alive))
}

const slowDown = (
  world: World,
  chance: Chance,
  { party, name }: NodeProcess,
  forMs = chance.pick([500, 4_000]),
): void => {
  party.lagMs = chance.pick([20, 150, 600])
  world.history.note(() => `the log answers ${name} ${party.lagMs} ms later`)
  world.loop.after(forMs, () => (party.lagMs = 0), null)
}
