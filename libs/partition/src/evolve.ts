import { KirokuError, type LogEvent } from '@kiroku/protocol'
import { delayElapsed, revised } from './delay/evolveDelay.ts'
import { bodyEdited } from './edit/editBody.ts'
import { erased, keysDeleted } from './erasure/evolveErasure.ts'
import { deadLettered, forwarded, forwardReceived } from './forward/evolveForward.ts'
import {
  closingTold,
  lanesClosed,
  lanesEnded,
  lanesForgotten,
  readdressed,
} from './forward/evolveReaddressed.ts'
import { clockResumed } from './owner/clock.ts'
import { clusterVersionRaised } from './owner/clusterVersion.ts'
import { checkpointed, foreignRecordSkipped, ownerChanged, repaired, trimmed } from './owner/evolveOwner.ts'
import { filled, runsRestored } from './past/evolveFill.ts'
import {
  deliveryPaused,
  queueConfigured,
  queueCreated,
  queueDeleted,
  queueNoted,
  queuePurged,
} from './queue/evolveQueue.ts'
import { delivered } from './receive/evolveReceive.ts'
import { redriveEnded, redriveStarted, redriven } from './redrive/evolveRedrive.ts'
import { enqueued } from './send/evolveSend.ts'
import { discarded, extended, finished, paused, returned } from './settle/evolveSettle.ts'
import { deliveryHeld } from './settle/hold.ts'
import { partClosed, partGone, partLeft, partOpened, partPlaced, queueSpread } from './spread/evolveSpread.ts'
import type { PartitionState } from './state/PartitionState.ts'
import {
  subscriptionConfigured,
  subscriptionCreated,
  subscriptionDeleted,
  subscriptionReset,
} from './subscription/evolveSubscription.ts'
import { carryBodies, carryLetters } from './trim/evolveCarry.ts'

/**
 * Applies a fact. No guard is asked: what the log says happened. Errors: `LogDamaged` when a fact names what
 * cannot be there, `FutureVersion` for a fact of a newer version.
 */
export const evolve = (state: PartitionState, event: LogEvent): void => {
  switch (event.type) {
    case 'Enqueued':
      return enqueued(state, event)
    case 'Deduplicated':
      return state.producers.noteAnswer(event.producer, event.send, event.queue, event.answer, state.at)
    case 'ForwardReceived':
      return forwardReceived(state, event)
    case 'Delivered':
      return delivered(state, event)
    case 'Acked':
      return finished(state, event, 'committed')
    case 'RetryScheduled':
    case 'LeaseExpired':
    case 'Deferred':
      return paused(state, event)
    case 'RetryDue':
    case 'Released':
      return returned(state, event)
    case 'LeaseExtended':
      return extended(state, event)
    case 'DelayElapsed':
      return delayElapsed(state, event)
    case 'Recalled':
    case 'Rescheduled':
      return revised(state, event)
    case 'DeadLettered':
      return deadLettered(state, event)
    case 'Discarded':
      return discarded(state, event)
    case 'RedriveStarted':
      return redriveStarted(state, event)
    case 'Redriven':
      return redriven(state, event)
    case 'RedriveEnded':
      return redriveEnded(state, event)
    case 'Forwarded':
      return forwarded(state, event)
    case 'Readdressed':
      return readdressed(state, event)
    case 'LanesEnded':
      return lanesEnded(state, event)
    case 'LanesClosed':
      return lanesClosed(state, event)
    case 'ClosingTold':
      return closingTold(state, event)
    case 'LanesForgotten':
      return lanesForgotten(state, event)
    case 'BodyEdited':
      return bodyEdited(state, event)
    case 'BodiesCarried':
      return carryBodies(state, event)
    case 'LettersCarried':
      return carryLetters(state, event)
    case 'Erased':
      return erased(state, event)
    case 'KeysDeleted':
      return keysDeleted(state, event)
    case 'QueueCreated':
      return queueCreated(state, event)
    case 'QueueConfigured':
      return queueConfigured(state, event)
    case 'QueueNoted':
      return queueNoted(state, event)
    case 'QueueDeleted':
      return queueDeleted(state, event)
    case 'QueuePurged':
      return queuePurged(state, event)
    case 'DeliveryPaused':
    case 'DeliveryResumed':
      return deliveryPaused(state, event)
    case 'DeliveryHeld':
      return deliveryHeld(state, event)
    case 'SubscriptionCreated':
      return subscriptionCreated(state, event)
    case 'SubscriptionConfigured':
      return subscriptionConfigured(state, event)
    case 'SubscriptionReset':
      return subscriptionReset(state, event)
    case 'RunsRestored':
      return runsRestored(state, event)
    case 'SubscriptionFilled':
      return filled(state, event)
    case 'SubscriptionDeleted':
      return subscriptionDeleted(state, event)
    case 'QueueSpread':
      return queueSpread(state, event)
    case 'PartOpened':
      return partOpened(state, event)
    case 'PartClosed':
      return partClosed(state, event)
    case 'PartGone':
      return partGone(state, event)
    case 'PartPlaced':
      return partPlaced(state, event)
    case 'PartLeft':
      return partLeft(state, event)
    case 'OwnerChanged':
      return ownerChanged(state, event)
    case 'ClockResumed':
      return clockResumed(state, event)
    case 'Checkpointed':
      return checkpointed(state, event)
    case 'Trimmed':
      return trimmed(state, event)
    case 'StoreShort':
      return
    case 'ForeignRecordSkipped':
      return foreignRecordSkipped(state)
    case 'ClusterVersionRaised':
      return clusterVersionRaised(state, event)
    case 'Repaired':
      return repaired(state, event)
    default:
      return unknown(state, event)
  }
}

/** What a newer version recorded. An event marked as optional may be skipped by versions that do not know it. */
const unknown = (state: PartitionState, event: { readonly type: string; readonly optional?: true }): void => {
  if (event.optional === true) {
    state.eventsSkipped++
    return
  }
  throw new KirokuError(
    'FutureVersion',
    `record ${state.frameSeq} holds an event of the unknown type ${event.type}: a newer Kiroku wrote it; install that version`,
  )
}
