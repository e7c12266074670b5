import type { World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { AnswersChecker } from './answers.ts'
import { CountsChecker } from './counts.ts'
import { DeadLettersChecker } from './deadLetters.ts'
import { DeliveriesChecker } from './deliveries.ts'
import { EarlierOwnersChecker } from './earlierOwners.ts'
import { EarlyTrimsChecker } from './earlyTrims.ts'
import { EpochsChecker } from './epochs.ts'
import { ErasuresChecker } from './erasures.ts'
import { GenerationsChecker } from './generations.ts'
import { NotesChecker } from './notes.ts'
import { RedrivesChecker } from './redrives.ts'
import { RoomChecker } from './room.ts'
import { SendOrderChecker } from './sendOrder.ts'
import { SendsChecker } from './sends.ts'
import { SettlementsChecker } from './settlements.ts'
import { SpreadChecker } from './spread.ts'
import { TrimsChecker } from './trims.ts'

/** Those that hold owners to their answers, and to what they forward, erase and trim. */
export const answerCheckers = (world: World): Checker[] => [
  new RoomChecker(world),
  new SendsChecker(world),
  new SendOrderChecker(world),
  new DeliveriesChecker(world),
  new SettlementsChecker(world),
  new GenerationsChecker(world),
  new DeadLettersChecker(world),
  new ErasuresChecker(world),
  new NotesChecker(world),
  new RedrivesChecker(world),
  new SpreadChecker(world),
  new TrimsChecker(world),
  new EarlyTrimsChecker(world),
  new EpochsChecker(world),
  new EarlierOwnersChecker(),
  new CountsChecker(world),
  new AnswersChecker(world),
]
