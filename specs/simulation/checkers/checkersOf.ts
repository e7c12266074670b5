import type { World } from '../world/World.ts'
import { AgesChecker } from './ages.ts'
import { AnswersChecker } from './answers.ts'
import { AttemptIdsChecker } from './attemptIds.ts'
import { AttemptsChecker } from './attempts.ts'
import { AuditChecker } from './audit.ts'
import type { Checker } from './Checker.ts'
import { ConservationChecker } from './conservation.ts'
import { CountsChecker } from './counts.ts'
import { DamageChecker } from './damage.ts'
import { DeadLettersChecker } from './deadLetters.ts'
import { DeliveriesChecker } from './deliveries.ts'
import { EarlierOwnersChecker } from './earlierOwners.ts'
import { EpochsChecker } from './epochs.ts'
import { ErasuresChecker } from './erasures.ts'
import { EarlyTrimsChecker } from './earlyTrims.ts'
import { FinalityChecker } from './finality.ts'
import { FlowChecker } from './flow.ts'
import { GenerationsChecker } from './generations.ts'
import { IdleQueuesChecker } from './idleQueues.ts'
import { LawChecker } from './law.ts'
import { LeasesChecker } from './leases.ts'
import { LookingBackChecker } from './lookingBack.ts'
import { OrderChecker } from './order.ts'
import { OwnersChecker } from './owners.ts'
import { PartitionTimeChecker } from './partitionTime.ts'
import { RedrivesChecker } from './redrives.ts'
import { RepeatsChecker } from './repeats.ts'
import { ReplayChecker } from './replay.ts'
import { RoomChecker } from './room.ts'
import { SendsChecker } from './sends.ts'
import { SettlementsChecker } from './settlements.ts'
import { SpreadChecker } from './spread.ts'
import { TrimsChecker } from './trims.ts'

/** Every checker of a world; the first that objects is the one that a failure is named after. */
export const checkersOf = (world: World): Checker[] => [
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
  new RoomChecker(world),
  new SendsChecker(world),
  new DeliveriesChecker(world),
  new SettlementsChecker(world),
  new GenerationsChecker(world),
  new DeadLettersChecker(world),
  new ErasuresChecker(world),
  new RedrivesChecker(world),
  new SpreadChecker(world),
  new TrimsChecker(world),
  new EarlyTrimsChecker(world),
  new EpochsChecker(world),
  new EarlierOwnersChecker(),
  new CountsChecker(world),
  new AnswersChecker(world),
  new ConservationChecker(world),
  new ReplayChecker(world),
  new AuditChecker(world),
  new LookingBackChecker(world),
]
