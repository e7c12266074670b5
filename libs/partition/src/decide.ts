import {
  type Command,
  type CommandOf,
  type EngineCommand,
  KirokuError,
  limits,
  mainSubscription,
} from '@kiroku/protocol'
import type { OwnerCommand } from './OwnerCommand.ts'
import type { Rest, Turn } from './Turn.ts'
import { decideOwner } from './decideOwner.ts'
import { decideRevise } from './delay/decideRevise.ts'
import { decideErase } from './erasure/decideErase.ts'
import { decideForward } from './forward/decideForward.ts'
import { decideForgetLanes } from './forward/decideForwarded.ts'
import { namedQueue, namedSubscription } from './lookup.ts'
import { decideRaise } from './owner/decideRaise.ts'
import { answerFollowers, decideFollow } from './ownership/decideFollow.ts'
import { decideDiscard } from './queue/decideDiscard.ts'
import {
  decideConfigureQueue,
  decideCreateQueue,
  decideDeleteQueue,
  decidePause,
  decidePurgeQueue,
} from './queue/decideQueue.ts'
import { describeQueue } from './read/describe.ts'
import { describeGroups } from './read/describeGroups.ts'
import { listQueues } from './read/listQueues.ts'
import { decideCancelReceive, decideReceive } from './receive/decideReceive.ts'
import { deliver } from './receive/serve.ts'
import { decideCancelRedrive, decideDescribeRedrives, decideStartRedrive } from './redrive/decideRedrive.ts'
import { decideEnqueue } from './send/decideEnqueue.ts'
import type { EnqueueOf, SizedRef } from './send/storeSend.ts'
import { decideSettle } from './settle/decideSettle.ts'
import { decideSpreadQueue } from './spread/decideHome.ts'
import { decideDropPart, decidePlacePart } from './spread/decidePart.ts'
import {
  decideConfigureSubscription,
  decideCreateSubscription,
  decideDeleteSubscription,
  decideResetSubscription,
} from './subscription/decideSubscription.ts'
import { answerEmpty, fireLive, fireTimers } from './timers.ts'

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
  command: CommandWith<B> | OwnerCommand<B>,
  token = 0,
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
    case 'Enqueue':
      return void decideEnqueue(turn, command, token)
    case 'Recall':
    case 'Reschedule':
      return void decideRevise(turn, command, token)
    case 'Receive':
      return void decideReceive(turn, command, token)
    case 'CancelReceive':
      return void decideCancelReceive(turn, command, token)
    case 'Forward':
      return void decideForward(turn, command, token)
    case 'ForgetLanes':
      return void decideForgetLanes(turn, command, token)
    case 'CreateQueue':
      return void decideCreateQueue(turn, command, token)
    case 'ConfigureQueue':
      return void decideConfigureQueue(turn, command, token)
    case 'DeleteQueue':
      return void decideDeleteQueue(turn, command, token)
    case 'Discard':
      return void decideDiscard(turn, command, token)
    case 'PurgeQueue':
      return void decidePurgeQueue(turn, command, token)
    case 'CreateSubscription':
      return void decideCreateSubscription(turn, command, token)
    case 'ConfigureSubscription':
      return void decideConfigureSubscription(turn, command, token)
    case 'ResetSubscription':
      return void decideResetSubscription(turn, command, token)
    case 'DeleteSubscription':
      return void decideDeleteSubscription(turn, command, token)
    case 'PauseDelivery':
    case 'ResumeDelivery':
      return void decidePause(turn, command, token)
    case 'SpreadQueue':
      return void decideSpreadQueue(turn, command, token)
    case 'PlacePart':
      return void decidePlacePart(turn, command, token)
    case 'DropPart':
      return void decideDropPart(turn, command, token)
    case 'StartRedrive':
      return void decideStartRedrive(turn, command, token)
    case 'CancelRedrive':
      return void decideCancelRedrive(turn, command, token)
    case 'DescribeRedrives':
      return void decideDescribeRedrives(turn, command, token)
    case 'DescribeQueue': {
      const queue = namedQueue(turn, command.queue, token)
      if (queue !== undefined) turn.ok(token, describeQueue(turn.own, queue, turn.now))
      return undefined
    }
    case 'DescribeGroups': {
      const sub = namedSubscription(turn, command.queue, command.subscription ?? mainSubscription, token)
      if (sub === undefined) return undefined
      const { max = limits.groupsDescribedMax } = command
      if (Number.isInteger(max) && max > 0)
        turn.ok(token, describeGroups(turn.state, sub, Math.min(max, limits.groupsDescribedMax)))
      else turn.refuse(token, new KirokuError('InvalidArgument', 'max: a whole number of groups from 1'))
      return undefined
    }
    case 'RaiseClusterVersion':
      return void decideRaise(turn, command, token)
    case 'FollowPartition':
      return void decideFollow(turn, command, token)
    case 'ListQueues':
      return void turn.ok(token, listQueues(turn.own, command.page, turn.now))
    default:
      // `EditBody` comes as the owner's `ReplaceBody`, once it has looked at the body.
      return decideOwner(turn, command as OwnerCommand<B>, token)
  }
}

/**
 * Ends a turn: fires the timers, serves the waiting receives, answers those whose time is over, tells those who follow. What
 * goes out under a lease of 0 is available again with the same turn.
 */
export const endTurn = <B>(turn: Turn<B>): void => {
  const due = fireTimers(turn)
  deliver(turn)
  if (turn.answers.some(({ delivery }) => delivery?.leaseUntil === turn.now)) fireLive(turn)
  answerEmpty(turn, due)
  answerFollowers(turn)
}
