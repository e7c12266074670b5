import type { World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { AgesChecker } from './ages.ts'
import { AttemptIdsChecker } from './attemptIds.ts'
import { AttemptsChecker } from './attempts.ts'
import { DamageChecker } from './damage.ts'
import { FinalityChecker } from './finality.ts'
import { FlowChecker } from './flow.ts'
import { IdleQueuesChecker } from './idleQueues.ts'
import { LawChecker } from './law.ts'
import { LeasesChecker } from './leases.ts'
import { OrderChecker } from './order.ts'
import { OwnersChecker } from './owners.ts'
import { PartitionTimeChecker } from './partitionTime.ts'
import { RepeatsChecker } from './repeats.ts'

/** Those that hear each change as it is stored, and allow what the law allows. */
export const recordCheckers = (world: World): Checker[] => [
  new DamageChecker(world),
  new OwnersChecker(world),
  new PartitionTimeChecker(world),
  new FinalityChecker(world),
  new LeasesChecker(world),
  new AgesChecker(world),
  new IdleQueuesChecker(world),
  new LawChecker(world),
  new AttemptsChecker(world),
  new OrderChecker(),
  new AttemptIdsChecker(),
  new FlowChecker(world),
  new RepeatsChecker(world),
]
