import type { WireError } from '../error/KirokuError.ts'
import type { EraseAnswers, EraseCommand } from './erase.ts'
import type { ForwardAnswers, ForwardCommand } from './forward.ts'
import type { ObserveAnswers, ObserveCommand } from './observe.ts'
import type { QueueAnswers, QueueCommand } from './queue.ts'
import type { ReceiveAnswers, ReceiveCommand } from './receive.ts'
import type { RedriveAnswers, RedriveCommand } from './redrive.ts'
import type { SendAnswers, SendCommand } from './send.ts'
import type { SettleAnswers, SettleCommand } from './settle.ts'
import type { SpreadAnswers, SpreadCommand } from './spread.ts'
import type { SubscriptionAnswers, SubscriptionCommand } from './subscription.ts'

/** What doors ask of a partition. Queues are named; settling names ids, which the receipt carries. */
export type Command =
  | SendCommand
  | ReceiveCommand
  | SettleCommand
  | QueueCommand
  | SubscriptionCommand
  | SpreadCommand
  | RedriveCommand
  | EraseCommand
  | ForwardCommand
  | ObserveCommand

/** Name of a command. */
export type CommandType = Command['type']

/** A command of one type. */
export type CommandOf<T extends CommandType> = Extract<Command, { type: T }>

/** Answers by command type; `error` in place of any of them. */
export interface Answers
  extends
    SendAnswers,
    ReceiveAnswers,
    SettleAnswers,
    QueueAnswers,
    SubscriptionAnswers,
    SpreadAnswers,
    RedriveAnswers,
    EraseAnswers,
    ForwardAnswers,
    ObserveAnswers {}

/** What comes back for one command. */
export type Answer<T extends CommandType = CommandType> =
  | { readonly ok: Answers[T]; readonly error?: undefined }
  | { readonly error: WireError; readonly ok?: undefined }

/** What comes back for one request: the owner's epoch, the last sequence it rests on, an answer a command. */
export interface Reply {
  readonly epoch: number
  readonly seq: number
  readonly answers: readonly Answer[]
}

/** Commands that the engine answers itself. */
export type EngineCommand = 'DescribePartition' | 'ConfirmClock'
