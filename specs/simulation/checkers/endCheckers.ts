import type { World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { AuditChecker } from './audit.ts'
import { ConservationChecker } from './conservation.ts'
import { LookingBackChecker } from './lookingBack.ts'
import { ReplayChecker } from './replay.ts'

/** Those that look at all that is there once everything came to its end. */
export const endCheckers = (world: World): Checker[] => [
  new ConservationChecker(world),
  new ReplayChecker(world),
  new AuditChecker(world),
  new LookingBackChecker(world),
]
