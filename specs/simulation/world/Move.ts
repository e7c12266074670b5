import type { LogEvent } from '@kiroku/protocol'
import type { Life, LifeState } from './Life.ts'
import type { Message, QueueLedger } from './QueueLedger.ts'
import type { Stored } from './Stored.ts'

/** A change of one message, before it is noted. */
export interface Move {
  readonly frame: Stored
  readonly event: LogEvent
  readonly queue: QueueLedger
  readonly message: Message
  /** Generation of the subscription. */
  readonly sub: number
  /** As it is so far. */
  readonly life: Life
  readonly to: LifeState
}

/** Who hears of every change of a message before it is noted. */
export type OnMove = (move: Move) => void
