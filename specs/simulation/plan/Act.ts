import type { Chance } from '../core/Chance.ts'
import type { StorePlan } from './drawStore.ts'

/** An action on the world at one moment. */
export type ActKind = keyof typeof weights | StoreActKind

/** What changes of a store that holds little. */
type StoreActKind = (typeof storeActs)[keyof typeof storeActs]

/** One such action; its details are decided by its own stream. */
export interface Act {
  readonly index: number
  readonly atMs: number
  readonly kind: ActKind
}

/** How often each is done, among all. */
const weights = {
  takeOver: 6,
  twoOwners: 4,
  handOver: 4,
  crash: 6,
  freeze: 4,
  lag: 4,
  wallClock: 4,
  storeClock: 4,
  days: 1,
  slow: 4,
  full: 2,
  down: 3,
  stray: 3,
  damage: 1,
  loseTail: 1,
  loseCheckpoint: 2,
  vanish: 4,
  configure: 4,
  pause: 3,
  purge: 1,
  recreate: 1,
  reset: 2,
  resubscribe: 2,
  redrive: 4,
  editBody: 4,
  spread: 5,
  erase: 6,
  keysDown: 2,
  administerDead: 6,
} as const

/** By what is limited. */
const storeActs = { store: 'resizeStore', logs: 'resizeLog', records: 'limitRecords' } as const

/** How long things go wrong, in ms of virtual time. */
const stormMs = 15_000

/** What is done in a seed, in order. */
export const drawActs = (chance: Chance): Act[] => {
  const count = chance.pick([4, 10, 20])
  return Array.from({ length: count }, () => chance.below(stormMs))
    .sort((a, b) => a - b)
    .map((atMs, index) => ({ index, atMs, kind: chance.weighted(weights) }))
}

/** How often a store becomes larger or smaller, in order; numbered behind the other deeds. */
export const drawStoreActs = (chance: Chance, { limits }: StorePlan, fromIndex: number): Act[] =>
  Array.from({ length: chance.pick([1, 3, 6]) }, (_, i) => ({
    index: fromIndex + i,
    atMs: chance.below(stormMs),
    kind: storeActs[limits],
  }))

/** Names of all deeds. */
export const actKinds = [...Object.keys(weights), ...Object.values(storeActs)] as ActKind[]
