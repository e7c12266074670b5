import type { Counts } from './core/Coverage.ts'
import { runIn } from './core/takeOverGlobals.ts'
import { takeOverLimits } from './core/takeOverLimits.ts'
import { checkersOf } from './checkers/checkersOf.ts'
import { Objection } from './checkers/Objection.ts'
import { unfold } from './faults/misfortunes.ts'
import { planOf, type Without } from './plan/Plan.ts'
import { leapOn } from './workload/leapOn.ts'
import { people } from './workload/people.ts'
import { poke } from './workload/poke.ts'
import { repairDamage } from './workload/repairer.ts'
import { bringHome } from './workload/spread.ts'
import { resumeAll } from './workload/resumeAll.ts'
import { setUp } from './workload/setUp.ts'
import { isDrained } from './world/isDrained.ts'
import { World } from './world/World.ts'

/** Why a seed failed. */
export interface Failure {
  /** The checker that objected, or `world` for what went wrong without one. */
  readonly checker: string
  readonly text: string
}

/** What came of one seed. */
export interface SeedResult {
  readonly seed: number
  readonly failure: Failure | undefined
  readonly coverage: Counts
  readonly steps: number
  /** What happened, line by line, if requested. */
  readonly history: readonly string[]
}

/** How a seed is run. */
export interface SeedOptions {
  readonly without?: Without
  readonly keepsHistory?: boolean
}

/** Runs one seed from its first step to its last; the process's time and chance must be taken over. */
export const runSeed = async (seed: number, options: SeedOptions = {}): Promise<SeedResult> => {
  const plan = planOf(seed, options.without)
  takeOverLimits(plan.limits)
  const world = new World(plan, options.keepsHistory ?? false)
  world.judges.appoint(checkersOf(world))
  runIn({ loop: world.loop, chance: world.chance.stream('process') })
  const unhandled = (error: Error): void => world.fail(error)
  process.on('unhandledRejection', unhandled)
  let isDone = false
  const script = play(world).then(
    () => (isDone = true),
    (error: Error) => {
      world.fail(error)
      isDone = true
    },
  )
  try {
    await world.loop.run(() => isDone || world.failure !== undefined)
    if (world.failure === undefined) await script
  } catch (error) {
    world.fail(error as Error)
  } finally {
    process.off('unhandledRejection', unhandled)
  }
  if (world.coverage.of('seed', 'owners changed') > 0) world.coverage.add('seed', 'with a take-over')
  return {
    seed,
    failure: world.failure === undefined ? undefined : failureOf(world.failure),
    coverage: world.coverage.counts,
    steps: world.loop.steps,
    history: world.history.lines,
  }
}

const failureOf = (error: Error): Failure =>
  error instanceof Objection
    ? { checker: error.checker, text: error.message }
    : { checker: 'world', text: error.stack ?? error.message }

/** After the storm, so long until what is late has arrived, in ms. */
const calmingMs = 6_000

const play = async (world: World): Promise<void> => {
  const { loop, plan, placement } = world
  for (let p = 0; p < plan.partitions; p++) placement.give(p, world.spareNode(undefined))
  await setUp(world)
  world.begin()
  const { producers, consumers } = people(world)
  for (const one of [...producers, ...consumers])
    loop.as(one.party, () => world.start(one.party.name, one.run()))
  world.start('repairs', repairDamage(world))
  await unfold(world)
  await loop.sleep(500)
  world.calm()
  await loop.sleep(calmingMs)
  for (let p = 0; p < plan.partitions; p++) world.land(p)
  let isPoked = false
  world.start('leaps', leapOn(world))
  world.start(
    'pokes',
    world
      .until('operators are done', () => world.deedsLeft === 0)
      .then(() => bringHome(world))
      .then(() => poke(world))
      // An owner that had not noticed yet that the end of its log is lost answers from memory.
      .then(() => [...world.hurts.keys()].forEach((p) => resumeAll(world, p)))
      .then(() => void (isPoked = true)),
  )
  await world.until(
    'every message is final, and every dead letter arrived',
    () => isPoked && isDrained(world),
  )
  world.isOver = true
  await world.rest()
  await world.until('every partition has its owner', () => world.isSettled())
  await world.judges.ended()
  await world.close()
}
