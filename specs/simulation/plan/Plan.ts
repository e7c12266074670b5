import type { CheckpointPolicy } from '@kiroku/engine'
import { Chance } from '../core/Chance.ts'
import type { WorldLimits } from '../core/takeOverLimits.ts'
import { drawActs, drawStoreActs, type Act } from './Act.ts'
import { drawOdds, type Odds, type OddsName } from './Odds.ts'
import type { QueuePlan } from './QueuePlan.ts'
import { drawLimits } from './drawLimits.ts'
import { drawQueues } from './drawQueues.ts'
import { drawStore, withinRecord, type StorePlan } from './drawStore.ts'

/** Somebody who uses the engine. */
export interface ActorPlan {
  /** Its place among all that the seed has; stays the same when others are left out. */
  readonly index: number
  readonly role: Role
  readonly queue: string
  /** Whether it is the second subscription that it consumes. */
  readonly isSecond: boolean
}

/** What an actor does. */
type Role =
  | 'producer'
  | 'clientProducer'
  | 'consumer'
  | 'clientConsumer'
  | 'lateConsumer'
  | 'reader'
  | 'fumbler'

/**
 * Everything that a seed decides before the world begins; the rest is decided on the way, by separate
 * streams.
 */
export interface Plan {
  readonly seed: number
  readonly partitions: number
  readonly odds: Odds
  readonly checkpoints: CheckpointPolicy
  /** Bytes of the record that are kept in all partitions together. */
  readonly recordBytes: number
  readonly recordBytesMax: number
  /** Absent: it has room for all. */
  readonly store: StorePlan | undefined
  readonly limits: WorldLimits
  readonly queues: readonly QueuePlan[]
  readonly actors: readonly ActorPlan[]
  readonly acts: readonly Act[]
}

/** Parts of a plan that are left out, to see whether a failure needs them. */
export interface Without {
  readonly acts: ReadonlySet<number>
  readonly actors: ReadonlySet<number>
  readonly odds: ReadonlySet<OddsName>
}

/** Nothing left out. */
const whole: Without = { acts: new Set(), actors: new Set(), odds: new Set() }

/** The plan of a seed. */
export const planOf = (seed: number, without = whole): Plan => {
  const chance = new Chance(seed, 'plan')
  const partitions = chance.pick([2, 2, 3])
  const store = drawStore(chance.stream('store'))
  const drawn = drawQueues(chance.stream('queues'), partitions)
  const queues = store === undefined ? drawn : withinRecord(drawn, store.recordMs)
  const odds = drawOdds(chance.stream('odds'))
  const keepsAll = chance.happens(0.4)
  const acts = drawActs(chance.stream('acts'))
  if (store !== undefined) acts.push(...drawStoreActs(chance.stream('store acts'), store, acts.length))
  return {
    seed,
    partitions,
    odds: Object.fromEntries(
      Object.entries(odds).map(([name, share]) => [name, without.odds.has(name as OddsName) ? 0 : share]),
    ) as unknown as Odds,
    checkpoints: {
      bytesMin: chance.pick([1_500, 6_000, 30_000, 1e9]),
      ageMs: chance.pick([1e9, 5_000]),
      replayMsMax: chance.stream('replay').pick([1e9, 2, 0.5]),
    },
    recordBytes: keepsAll ? 1e9 : chance.pick([30_000, 120_000]),
    recordBytesMax: chance.pick([150_000, 1_000_000]),
    store,
    limits: drawLimits(chance.stream('limits'), queues.length),
    queues,
    actors: drawActors(chance.stream('actors'), queues).filter(({ index }) => !without.actors.has(index)),
    acts: acts.filter(({ index }) => !without.acts.has(index)).sort((a, b) => a.atMs - b.atMs),
  }
}

const drawActors = (chance: Chance, queues: readonly QueuePlan[]): ActorPlan[] => {
  const actors: ActorPlan[] = []
  const add = (role: Role, queue: string, isSecond = false): void => {
    actors.push({ index: actors.length, role, queue, isSecond })
  }
  const work = queues.filter(({ isForWork }) => isForWork)
  for (const { name, second, config, isSpreadable } of work) {
    add('producer', name)
    if (isSpreadable === true) {
      add('clientProducer', name)
      add('clientConsumer', name)
      add('clientConsumer', name)
      continue
    }
    if (second !== undefined) {
      add('consumer', name, true)
      if (chance.happens(0.5)) add('lateConsumer', name, true)
    }
    add('consumer', name)
    if (chance.happens(0.5)) add('consumer', name)
    if (chance.happens(0.4)) add('lateConsumer', name)
    // The real client says no groups and ids by itself.
    const isPlain = (config.groups ?? 'none') === 'none' && (config.dedup ?? 'off') === 'off'
    if (isPlain && chance.happens(0.4)) add('clientProducer', name)
    if (chance.happens(0.4)) add('clientConsumer', name)
  }
  for (const { name, isForWork } of queues) if (!isForWork) add('consumer', name)
  if (chance.happens(0.6)) add('fumbler', '')
  add('reader', '')
  if (chance.happens(0.7)) add('reader', '')
  return actors
}
