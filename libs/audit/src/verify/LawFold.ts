import { editable, evolve, type PartitionState } from '@kiroku/partition'
import { type LogEvent, rangeTotal } from '@kiroku/protocol'
import type { ForwardLedger } from './ForwardLedger.ts'
import { LawScope, refuse } from './LawScope.ts'
import type { MachineCheck } from './MachineCheck.ts'
import type { ArrivalsIn } from './RestoreCheck.ts'
import { checkDeduplicated, checkEnqueued, checkForwardReceived } from './checkArrivals.ts'
import {
  checkAcked,
  checkDeadLettered,
  checkDelayElapsed,
  checkDelivered,
  checkDiscarded,
  checkLeaseExpired,
  checkLeaseExtended,
  checkRecalled,
  checkReleased,
  checkRescheduled,
  checkRetryDue,
  checkRetryScheduled,
} from './checkDeliveries.ts'
import {
  checkForwarded,
  checkLanesClosed,
  checkLanesEnded,
  checkLanesForgotten,
  checkReaddressed,
} from './checkLanes.ts'
import { checkErased, checkGeneration, checkQueue, checkRestored, checkResumed } from './checkQueues.ts'
import { checkRedriven, checkRedriveStarted, runningRedrive } from './checkRedrives.ts'
import { checkSpread } from './checkSpread.ts'

/** What the fold needs of a frame. */
export interface FrameFacts {
  readonly epoch: number
  readonly at: number
  readonly events: readonly LogEvent[]
  /** Ids of the queues that have bodies in it, and how many. */
  readonly bodyQueues: readonly number[]
  bodyCount(queue: number): number
}

/**
 * Rebuilds a partition's state from its frames and checks every fact against the law before applying it: that
 * it could happen to each message it names, with this outcome and not earlier. Throws `LogDamaged` at the
 * first that could not.
 */
export class LawFold {
  readonly state: PartitionState
  #events = 0
  readonly #law: LawScope

  constructor(state: PartitionState, machine: MachineCheck, forwards: ForwardLedger) {
    this.state = state
    this.#law = new LawScope(state, machine, forwards)
  }

  /** Changes of single messages. */
  get transitions(): number {
    return this.#law.transitions
  }

  get events(): number {
    return this.#events
  }

  /** Checks and applies one frame. `arrivals` are those of the frames that it restores messages from. */
  accept(seq: number, frame: FrameFacts, arrivals: ArrivalsIn = () => undefined): void {
    const law = this.#law
    const { state } = this
    if (frame.at < state.at)
      refuse(`time goes back: the frame is of ${frame.at}, but it was ${state.at} already`)
    law.begin(seq, arrivals)
    state.beginFrame(seq, frame.at)
    const { events } = frame
    for (let i = 0; i < events.length; i++) {
      const event = events[i]!
      check(law, event, frame.epoch)
      evolve(state, event)
      law.previous = event
    }
    this.#events += events.length
    checkBodies(law, frame)
  }

  /** Every message that ever arrived must be live or in exactly one final state. */
  checkConservation(): void {
    for (const q of this.state.queues.values()) {
      for (const sub of q.subs) {
        const finals = sub.committed + sub.deadLettered + sub.discarded
        // The very first generation has the queue's numbers, whatever its own count says.
        const entered = sub.id === 0 ? q.sent - q.delayed : sub.entered
        if (entered !== sub.live + finals)
          refuse(
            `subscription "${sub.name}" of queue "${q.name}" got ${entered} messages, but has ${sub.live} live and ${finals} final ones`,
          )
      }
    }
  }
}

/** Checks a fact against the law. */
const check = (law: LawScope, e: LogEvent, epoch: number): void => {
  const { state } = law
  switch (e.type) {
    case 'Enqueued':
      return checkEnqueued(law, e)
    case 'Deduplicated':
      return checkDeduplicated(law, e)
    case 'ForwardReceived':
      return checkForwardReceived(law, e)
    case 'Delivered':
      return checkDelivered(law, e)
    case 'DelayElapsed':
      return checkDelayElapsed(law, e)
    case 'Recalled':
      return checkRecalled(law, e)
    case 'Rescheduled':
      return checkRescheduled(law, e)
    case 'LeaseExtended':
      return checkLeaseExtended(law, e)
    case 'Released':
    case 'Deferred':
      return checkReleased(law, e)
    case 'Acked':
      return checkAcked(law, e)
    case 'RetryScheduled':
      return checkRetryScheduled(law, e)
    case 'LeaseExpired':
      return checkLeaseExpired(law, e)
    case 'RetryDue':
      return checkRetryDue(law, e)
    case 'DeadLettered':
      return checkDeadLettered(law, e)
    case 'Discarded':
      return checkDiscarded(law, e)
    case 'RedriveStarted':
      return checkRedriveStarted(law, e)
    case 'Redriven':
      return checkRedriven(law, e)
    case 'RedriveEnded':
      runningRedrive(law, e)
      return
    case 'Forwarded':
      return checkForwarded(law, e)
    case 'Readdressed':
      return checkReaddressed(law, e)
    case 'LanesEnded':
      return checkLanesEnded(law, e)
    case 'LanesClosed':
      return checkLanesClosed(law, e)
    case 'ClosingTold':
      if (e.upTo > state.firstForward) refuse(`lanes up to ${e.upTo} were never closed`)
      return
    case 'LanesForgotten':
      return checkLanesForgotten(law, e)
    case 'QueueCreated':
    case 'QueueConfigured':
    case 'QueueNoted':
    case 'QueuePurged':
    case 'QueueDeleted':
    case 'DeliveryPaused':
    case 'DeliveryResumed':
    case 'DeliveryHeld':
      return checkQueue(law, e)
    case 'BodyEdited': {
      const at = editable(state, law.queue(e.queue), e.number)
      if (typeof at === 'string') refuse(`a body is edited, but ${at}`)
      return law.addBodies(e.queue, 1)
    }
    case 'BodiesCarried':
      return law.addBodies(e.queue, rangeTotal(e.numbers))
    case 'LettersCarried':
      if (e.index !== (law.bodies.get(e.source) ?? 0))
        refuse(`the bodies of letters of queue ${e.source} do not lie at place ${e.index}`)
      return law.addBodies(e.source, rangeTotal(e.forwards))
    case 'OwnerChanged':
      if (e.epoch !== epoch) refuse(`the frame is of epoch ${epoch}, but names ${e.epoch}`)
      return
    case 'ClockResumed':
      return checkResumed(law, e)
    case 'StoreShort':
      if (e.freeBytes < 0 || e.freeBytes >= e.bytesMax)
        refuse(`the store had ${e.freeBytes} of ${e.bytesMax} bytes`)
      return
    case 'Trimmed':
      if (e.upTo >= law.seq) refuse(`record ${e.upTo} cannot be trimmed yet`)
      return
    case 'ClusterVersionRaised':
      if (e.version <= state.clusterVersion)
        refuse(`cluster version ${e.version} is raised from ${state.clusterVersion}`)
      return
    case 'Erased':
      return checkErased(law, e)
    case 'KeysDeleted':
      if (!state.erasures.some(({ erasure }) => erasure === e.erasure))
        refuse(`keys of erasure ${e.erasure} are deleted, but were not to be`)
      return
    case 'SubscriptionCreated':
    case 'SubscriptionReset':
      return checkGeneration(law, e)
    case 'SubscriptionConfigured':
      law.sub(e)
      return
    case 'RunsRestored':
      return checkRestored(law, e)
    case 'SubscriptionFilled':
      if (law.sub(e).fill === undefined) refuse(`subscription ${e.queue}/${e.sub} is complete already`)
      return
    case 'SubscriptionDeleted':
      law.transitions += law.sub(e).live
      return
    case 'QueueSpread':
    case 'PartOpened':
    case 'PartClosed':
    case 'PartGone':
    case 'PartPlaced':
    case 'PartLeft': {
      const queue = e.type === 'PartLeft' ? undefined : state.queues.get(e.queue)
      const wrong = checkSpread(state, queue, e)
      if (wrong !== undefined) refuse(wrong)
      return
    }
    case 'Checkpointed':
    case 'ForeignRecordSkipped':
    case 'Repaired':
      return
    default:
      // `evolve` skips what is optional and refuses the rest.
      return
  }
}

const checkBodies = (law: LawScope, frame: FrameFacts): void => {
  for (const [queue, count] of law.bodies)
    if (frame.bodyCount(queue) !== count)
      refuse(`the frame holds ${frame.bodyCount(queue)} bodies of queue ${queue} for ${count} messages`)
  for (const queue of frame.bodyQueues)
    if (!law.bodies.has(queue)) refuse(`the frame holds bodies of queue ${queue}, but no message for them`)
}
