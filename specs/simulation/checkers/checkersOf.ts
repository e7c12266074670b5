import type { World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { answerCheckers } from './answerCheckers.ts'
import { endCheckers } from './endCheckers.ts'
import { recordCheckers } from './recordCheckers.ts'

/** Every checker of a world; the first that objects is the one that a failure is named after. */
export const checkersOf = (world: World): Checker[] => [
  ...recordCheckers(world),
  ...answerCheckers(world),
  ...endCheckers(world),
]
