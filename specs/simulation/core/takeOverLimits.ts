import { limits as engineLimits } from '@kiroku/engine'
import { limits as partitionLimits } from '@kiroku/protocol'

/** Limits of a world that are not those of every engine. */
export interface WorldLimits {
  readonly engine: Partial<Record<keyof typeof engineLimits, number>>
  readonly partition: Partial<Record<keyof typeof partitionLimits, number>>
}

const engine = { ...engineLimits }
const partition = { ...partitionLimits }

/**
 * Makes a world's limits those that all code of this process sees, like its time and its chance: a small world
 * reaches only small ones.
 */
export const takeOverLimits = (limits: WorldLimits): void => {
  Object.assign(engineLimits, engine, limits.engine)
  Object.assign(partitionLimits, partition, limits.partition)
}
