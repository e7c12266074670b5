import type { Figure } from '../Figure.ts'
import { runParts } from '../runParts.ts'
import { bundleNodes } from './ClusterNode.ts'
import { deaths } from './deaths.ts'
import { fullLoad } from './fullLoad.ts'
import { handOvers } from './handOvers.ts'
import { manyConsumers } from './manyConsumers.ts'
import { idleFew, idleMany } from './measureIdle.ts'
import { orderOfSends } from './orderOfSends.ts'
import { restarts } from './restarts.ts'
import { fullSizes, quickSizes } from './sizes.ts'
import { takeOvers } from './takeOvers.ts'
import { threeServers } from './threeServers.ts'

/** How a cluster is measured. */
export interface ClusterBenchOptions {
  readonly quick: boolean
  /** Parts to run; all of them when empty. */
  readonly only: readonly string[]
}

const parts = {
  handover: handOvers,
  death: deaths,
  restart: restarts,
  servers: threeServers,
  takeover: takeOvers,
  order: orderOfSends,
  consumers: manyConsumers,
  load: fullLoad,
  idle: idleFew,
  members: idleMany,
}

/**
 * Measures what clients feel of what happens to the nodes of a cluster and to NATS, which needs the right to make namespaces, what
 * take-overs and further nodes cost, and what the nodes ask of NATS at rest.
 */
export const clusterBench = async ({ quick, only }: ClusterBenchOptions): Promise<Figure[]> => {
  await bundleNodes()
  return runParts(parts, only, { sizes: quick ? quickSizes : fullSizes })
}
