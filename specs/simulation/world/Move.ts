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

/** Notes in its life how a message changes; `disputed`: the first delivery since clocks disagree, or 0. */
export const noteMove = ({ life, event, frame, to }: Move, disputed: number): void => {
  life.state = to
  life.sinceSeq = frame.seq
  switch (event.type) {
    case 'Delivered':
      life.attempt++
      life.attemptsMax = event.attemptsMax
      life.delivery = event.delivery
      life.leaseUntil = event.leaseUntil
      life.leasedMs = frame.sentMs
      life.isExtended = false
      return
    case 'LeaseExtended':
      life.leaseUntil = event.leaseUntil
      life.isExtended = true
      return
    case 'Released':
      life.attempt--
      return
    case 'Rescheduled':
      life.dueAt = event.dueAt
      return
    case 'RetryScheduled':
    case 'LeaseExpired':
    case 'Deferred':
      if (event.type === 'Deferred') life.attempt--
      life.dueAt = event.dueAt
      life.pausedMs = frame.sentMs
      // What was delivered before clocks disagreed and is paused while they do ages by what is found out.
      life.pauseMs = event.dueAt === 0 || life.delivery < disputed ? 0 : event.dueAt - frame.record.at
  }
}
