import { type Command, type CommandOf, KirokuError, limits } from '@kiroku/protocol'
import type { Rest, Turn } from './Turn.ts'
import { decideRevise } from './delay/decideRevise.ts'
import { decideErase } from './erasure/decideErase.ts'
import { decideForward } from './forward/decideForward.ts'
import { decideForgetLanes } from './forward/decideForwarded.ts'
import { namedQueue, namedSubscription } from './lookup.ts'
import { answerFollowers, decideFollow } from './ownership/decideFollow.ts'
import { decideDiscard } from './queue/decideDiscard.ts'
import {
  decideConfigureQueue,
  decideCreateQueue,
  decideDeleteQueue,
  decidePause,
  decidePurgeQueue,
} from './queue/decideQueue.ts'
import { describeQueue, describeQueues } from './read/describe.ts'
import { describeGroups } from './read/describeGroups.ts'
import { decideCancelReceive, decideReceive } from './receive/decideReceive.ts'
import { deliver } from './receive/serve.ts'
import { decideCancelRedrive, decideDescribeRedrives, decideStartRedrive } from './redrive/decideRedrive.ts'
import { decideEnqueue } from './send/decideEnqueue.ts'
import type { EnqueueOf, SizedRef } from './send/storeSend.ts'
import { decideSettle } from './settle/decideSettle.ts'
import { decideSpreadQueue } from './spread/decideHome.ts'
import { decideDropPart, decidePlacePart } from './spread/decidePart.ts'
import { mainSubscription } from './state/QueueState.ts'
import {
  decideConfigureSubscription,
  decideCreateSubscription,
  decideDeleteSubscription,
  decideResetSubscription,
} from './subscription/decideSubscription.ts'
import { answerEmpty, fireTimers } from './timers.ts'

/** Commands that the engine answers itself. */
export type EngineCommand = 'DescribePartition' | 'ConfirmClock'

/** A command whose bodies the shell may have put elsewhere; what doors send is the case `B = Uint8Array`. */
export type CommandWith<B> =
  | Exclude<Command, { type: 'Enqueue' | 'Forward' | EngineCommand }>
  | EnqueueOf<B>
  | (Omit<CommandOf<'Forward'>, 'messages'> & { readonly messages: readonly B[] })

/**
 * Decides one command: facts and answers go into the turn. Returns what found no room in it. Never throws for what a
 * caller sent.
 */
export const decide = <B extends Uint8Array | SizedRef>(
  turn: Turn<B>,
  command: CommandWith<B>,
  token: number,
): Rest<B> | undefined => {
  switch (command.type) {
    case 'Ack':
    case 'Retry':
    case 'Extend':
    case 'Release':
    case 'DeadLetter':
      return decideSettle(turn, command, token)
    case 'Erase':
      return decideErase(turn, command, token)
    default:
      decideWhole(turn, command, token)
      return undefined
  }
}

/** Decides a command that has room in the turn. */
const decideWhole = <B extends Uint8Array | SizedRef>(
  turn: Turn<B>,
  command: Exclude<CommandWith<B>, { type: 'Ack' | 'Retry' | 'Extend' | 'Release' | 'DeadLetter' | 'Erase' }>,
  token: number,
): void => {
  switch (command.type) {
    case 'Enqueue':
      return decideEnqueue(turn, command, token)
    case 'Recall':
    case 'Reschedule':
      return decideRevise(turn, command, token)
    case 'Receive':
      return decideReceive(turn, command, token)
    case 'CancelReceive':
      return decideCancelReceive(turn, command, token)
    case 'Forward':
      return decideForward(turn, command, token)
    case 'ForgetLanes':
      return decideForgetLanes(turn, command, token)
    case 'CreateQueue':
      return decideCreateQueue(turn, command, token)
    case 'ConfigureQueue':
      return decideConfigureQueue(turn, command, token)
    case 'DeleteQueue':
      return decideDeleteQueue(turn, command, token)
    case 'Discard':
      return decideDiscard(turn, command, token)
    case 'PurgeQueue':
      return decidePurgeQueue(turn, command, token)
    case 'CreateSubscription':
      return decideCreateSubscription(turn, command, token)
    case 'ConfigureSubscription':
      return decideConfigureSubscription(turn, command, token)
    case 'ResetSubscription':
      return decideResetSubscription(turn, command, token)
    case 'DeleteSubscription':
      return decideDeleteSubscription(turn, command, token)
    case 'PauseDelivery':
    case 'ResumeDelivery':
      return decidePause(turn, command, token)
    case 'SpreadQueue':
      return decideSpreadQueue(turn, command, token)
    case 'PlacePart':
      return decidePlacePart(turn, command, token)
    case 'DropPart':
      return decideDropPart(turn, command, token)
    case 'StartRedrive':
      return decideStartRedrive(turn, command, token)
    case 'CancelRedrive':
      return decideCancelRedrive(turn, command, token)
    case 'DescribeRedrives':
      return decideDescribeRedrives(turn, command, token)
    case 'DescribeQueue': {
      const queue = namedQueue(turn, command.queue, token)
      if (queue !== undefined) turn.ok(token, describeQueue(turn.own, queue, turn.now))
      return
    }
    case 'DescribeGroups': {
      const sub = namedSubscription(turn, command.queue, command.subscription ?? mainSubscription, token)
      if (sub === undefined) return
      const max = Math.min(command.max ?? limits.groupsDescribedMax, limits.groupsDescribedMax)
      return turn.ok(token, describeGroups(turn.state, sub, max))
    }
    case 'FollowPartition':
      return decideFollow(turn, command, token)
    case 'ListQueues':
      return turn.ok(token, {
        queues: describeQueues(turn.state, turn.state.queues.values(), turn.now, turn.own),
      })
    default:
      return turn.refuse(
        token,
        new KirokuError('MalformedRequest', `there is no command "${(command as Command).type}"`),
      )
  }
}

/** Ends a turn: fires the timers, serves the waiting receives, answers those whose time is over, tells those who follow. */
export const endTurn = <B>(turn: Turn<B>): void => {
  const due = fireTimers(turn)
  deliver(turn)
  answerEmpty(turn, due)
  answerFollowers(turn)
}
