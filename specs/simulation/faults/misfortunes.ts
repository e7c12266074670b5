import { isKirokuError } from '@kiroku/protocol'
import type { Chance } from '../core/Chance.ts'
import type { ActKind } from '../plan/Act.ts'
import { administer } from '../workload/administer.ts'
import { administerDead } from '../workload/administerDead.ts'
import { confirmClocks } from '../workload/confirmClocks.ts'
import { editBody } from '../workload/editBody.ts'
import { erase } from '../workload/erase.ts'
import { redrive } from '../workload/redrive.ts'
import { spread } from '../workload/spread.ts'
import type { World } from '../world/World.ts'
import { changeOwner, crash, freeze, lag } from './nodes.ts'
import { limitRecords, resizeLog, resizeStore } from './room.ts'
import { damage, loseCheckpoint, loseTail } from './storage.ts'

/** Does one deed of the plan. */
type Deed = (world: World, chance: Chance) => void

/** For how long a state of the storage lasts, in ms. */
const spellMs = [5, 500, 4_000] as const

const partitionOf = (world: World, chance: Chance): number => chance.below(world.plan.partitions)

const slow: Deed = ({ log, loop }, chance) => {
  log.faults.slow(chance.pick([2, 7, 40]))
  loop.after(chance.pick(spellMs), () => log.faults.slow(0), null)
}

const full: Deed = ({ log, loop }, chance) => {
  log.faults.full(true)
  loop.after(chance.pick(spellMs), () => log.faults.full(false), null)
}

const down: Deed = ({ log, loop }, chance) => {
  log.faults.down(true)
  loop.after(chance.pick(spellMs), () => log.faults.down(false), null)
}

const keysDown: Deed = ({ log, loop }, chance) => {
  log.keys.isDown = true
  loop.after(chance.pick(spellMs), () => (log.keys.isDown = false), null)
}

const stray: Deed = (world, chance) => {
  const partition = partitionOf(world, chance)
  // In the place of a lost record it would hide the loss from the owner, until somebody reads the log.
  if (world.hurts.get(partition)?.kind === 'tail') return
  try {
    world.log.faults.write(partition, new TextEncoder().encode('a stray record'))
  } catch (error) {
    // A full store takes it no more than anything else.
    if (!isKirokuError(error) || error.id !== 'StorageFull') throw error
  }
}

const wallClock: Deed = (world, chance) => {
  for (const { party } of world.placement.processes)
    if (chance.happens(0.5)) world.setWallClock(party, stepped(chance, party.wallOffsetMs))
  if (chance.happens(0.5)) confirmClocks(world, chance)
}

const storeClock: Deed = (world, chance) => {
  world.setStoreClock(stepped(chance, world.storeOffMs))
  if (chance.happens(0.3)) confirmClocks(world, chance)
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** By how much clocks step. */
const steps = {
  seconds: [-5_000, -3_000, -50, 50, 3_000, 5_000],
  minutes: [-600_000, 600_000],
  days: [-5 * dayMs, -dayMs, dayMs, 5 * dayMs],
} as const

/** How far a clock is off that steps: a little more or less, by days, or not any more. */
const stepped = (chance: Chance, offMs: number): number => {
  const by = chance.weighted({ seconds: 5, minutes: 3, days: 3, right: 2 })
  return by === 'right' ? 0 : offMs + chance.pick(steps[by])
}

/** Nothing happens for days: nodes were switched off, or only their users. */
const days: Deed = (world, chance) => {
  if (chance.happens(0.7)) for (const { party } of world.placement.processes) party.die()
  world.leap(chance.pick([hourMs, dayMs, 5 * dayMs]))
}

const vanish: Deed = (world, chance) => {
  const consumers = world.consumers.filter((c) => !c.party.isDead)
  if (consumers.length > 0) chance.pick(consumers).party.die()
}

const deeds: Readonly<Record<ActKind, Deed>> = {
  takeOver: (world, chance) => changeOwner(world, chance, 'cutOff'),
  twoOwners: (world, chance) => changeOwner(world, chance, 'atOnce'),
  handOver: (world, chance) => changeOwner(world, chance, 'handOver'),
  crash,
  freeze,
  lag,
  wallClock,
  storeClock,
  days,
  slow,
  full,
  down,
  stray,
  damage,
  loseTail,
  loseCheckpoint,
  vanish,
  configure: (world, chance) => administer(world, chance, 'configure'),
  pause: (world, chance) => administer(world, chance, 'pause'),
  purge: (world, chance) => administer(world, chance, 'purge'),
  recreate: (world, chance) => administer(world, chance, 'recreate'),
  reset: (world, chance) => administer(world, chance, 'reset'),
  resubscribe: (world, chance) => administer(world, chance, 'resubscribe'),
  redrive,
  editBody,
  spread,
  erase,
  keysDown,
  administerDead,
  resizeStore,
  resizeLog,
  limitRecords,
}

/** Does every deed of the plan at its time, until the world is calm. */
export const unfold = async (world: World): Promise<void> => {
  const { loop, plan, coverage, history } = world
  const beganMs = loop.livedMs
  for (const { atMs, kind, index } of plan.acts) {
    await loop.sleep(beganMs + atMs - loop.livedMs)
    if (world.failure !== undefined) return
    coverage.add('fault', kind)
    history.note(() => `act ${index}: ${kind}`)
    deeds[kind](world, world.chance.stream(`act ${index}`))
  }
}
