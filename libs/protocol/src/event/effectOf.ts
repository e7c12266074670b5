import { type Ranges } from '../Ranges.ts'
import { type FromState, newMessage } from '../observe/PartitionUpdate.ts'
import { type Actor } from './Actor.ts'
import { type LogEvent } from './LogEvent.ts'
import { type QueueAddress } from './QueueAddress.ts'
import { type StateName } from './State.ts'
import { runNumbers } from './subscription.ts'

/** What an event says of the messages that it changes, in the order in which it is shown. */
interface ChangeDetail {
  readonly producer?: string
  readonly send?: number
  readonly delivery?: number
  readonly consumer?: string
  readonly leaseUntil?: number
  readonly reason?: string
  readonly cause?: string
  /** Empty where none was given. */
  readonly error?: string
  /** When a delay or a pause ends, in ms of partition time. */
  readonly dueAt?: number
  readonly by?: Actor
}

/** Messages that an event takes to a state, or only concerns. */
export interface MessageChange {
  readonly kind: 'change'
  readonly numbers: Ranges
  /** Absent where they may come from several states, which only the partition's state tells. */
  readonly from?: FromState
  /** They were delivered before: where none waits to be delivered again, all are in flight. */
  readonly wereDelivered?: true
  /** The same as `from` where the event changes something else of them; absent: whatever state they are in. */
  readonly to?: StateName
  /** Generation of the subscription under which they change; absent: all that they are for. */
  readonly sub?: number
  /** Generations under which they are discarded at once, since the filter does not pass them. */
  readonly filteredBy?: readonly number[]
  /** Numbers that are discarded at once under `sub`, for the same reason. */
  readonly filtered?: Ranges
  /** By how much their attempts change. */
  readonly attempts?: number
  /** Each brings a body. */
  readonly hasBodies?: true
  /** Where they go from here: the first forward, and the name of the queue where it is on record. */
  readonly target?: QueueAddress & { readonly forward: number; readonly name?: string }
  readonly detail: ChangeDetail
}

/** Messages that an event ends without naming them: those below a number, under one subscription or all. */
export interface MessageEnd {
  readonly kind: 'end'
  readonly below: number
  /** A generation, or the name whose generation ends; absent: all of the queue, delayed messages included. */
  readonly sub?: number | string
  readonly cause?: string
  readonly by: Actor
}

/**
 * What an event does to messages of its queue, as far as the event itself says it; undefined: nothing. The one place where
 * a new event says so: counts, traces and the auditor's index follow from it.
 */
export const effectOf = (e: LogEvent): MessageChange | MessageEnd | undefined => {
  switch (e.type) {
    case 'Enqueued': {
      const { producer, send, dueAt } = e
      return {
        ...change([e.first, e.count], dueAt === 0 ? 'Available' : 'Delayed', {
          producer,
          send,
          ...(dueAt === 0 ? {} : { dueAt }),
        }),
        from: newMessage,
        hasBodies: true,
        ...filters(e.filteredBy),
      }
    }
    case 'ForwardReceived':
      return {
        ...change([e.first, e.count], 'Available'),
        from: newMessage,
        hasBodies: true,
        ...filters(e.filteredBy),
      }
    case 'Deduplicated': {
      const { producer, send, originals } = e
      return { kind: 'change', numbers: originals.flatMap((n) => [n, 1]), detail: { producer, send } }
    }
    case 'DelayElapsed':
      return { ...change(e.numbers, 'Available'), from: 'Delayed', ...filters(e.filteredBy) }
    case 'Recalled':
      return { ...change([e.number, 1], 'Discarded', { reason: 'recalled', by: e.by }), from: 'Delayed' }
    case 'Rescheduled':
      return { ...change([e.number, 1], 'Delayed', { dueAt: e.dueAt, by: e.by }), from: 'Delayed' }
    case 'BodyEdited':
      return { kind: 'change', numbers: [e.number, 1], hasBodies: true, detail: { by: e.by } }
    case 'BodiesCarried':
      return { kind: 'change', numbers: e.numbers, hasBodies: true, detail: {} }
    case 'RunsRestored': {
      const numbers: Ranges = []
      for (let i = 0; i < e.runs.length; i += runNumbers) numbers.push(e.runs[i]!, e.runs[i + 1]!)
      const { sub, filtered } = e
      const restored = { ...change(numbers, 'Available'), from: newMessage, sub } as const
      return filtered === undefined ? restored : { ...restored, filtered }
    }
    case 'Delivered': {
      const { delivery, consumer, leaseUntil } = e
      return { ...under(e, 'Inflight', { delivery, consumer, leaseUntil }), from: 'Available', attempts: 1 }
    }
    case 'LeaseExtended': {
      const repeated = e.attempt === undefined ? {} : { cause: 'the receive was repeated' }
      return { ...under(e, 'Inflight', { leaseUntil: e.leaseUntil, ...repeated }), from: 'Inflight' }
    }
    case 'Released':
      return { ...under(e, 'Available', { cause: e.cause }), from: 'Inflight', attempts: -1 }
    case 'Deferred':
      return { ...paused(e, { error: e.error }), attempts: -1 }
    case 'RetryScheduled':
      return paused(e, { error: e.error })
    case 'LeaseExpired':
      return paused(e, {})
    case 'RetryDue':
      return { ...under(e, 'Available'), from: 'WaitingRetry' }
    case 'Acked':
      return { ...under(e, 'Committed'), wereDelivered: true }
    case 'DeadLettered': {
      const { cause, error, target, forward } = e
      return { ...under(e, 'DLQ', { cause, error }), wereDelivered: true, target: { ...target, forward } }
    }
    case 'Discarded': {
      const { reason, cause, error, by } = e
      return under(e, 'Discarded', { reason, cause, error, ...(by === undefined ? {} : { by }) })
    }
    case 'Redriven': {
      const { target, forward, name } = e
      return { ...under(e, 'Discarded', { reason: 'redriven' }), target: { ...target, forward, name } }
    }
    case 'QueuePurged':
      return { kind: 'end', below: e.upTo, by: e.by }
    case 'QueueDeleted':
      return { kind: 'end', below: Infinity, cause: 'the queue was deleted', by: e.by }
    case 'SubscriptionReset':
      return { kind: 'end', below: Infinity, sub: e.name, cause: 'the subscription was reset', by: e.by }
    case 'SubscriptionDeleted':
      return { kind: 'end', below: Infinity, sub: e.sub, cause: 'the subscription was deleted', by: e.by }
    default:
      return undefined
  }
}

const change = (numbers: Ranges, to: StateName, detail: ChangeDetail = {}) =>
  ({ kind: 'change', numbers, to, detail }) as const

interface Numbered {
  readonly sub: number
  readonly numbers: Ranges
}

/** Under one subscription. */
const under = ({ sub, numbers }: Numbered, to: StateName, detail: ChangeDetail = {}) =>
  ({ kind: 'change', numbers, sub, to, detail }) as const

/** An attempt ended; the next may have to wait. */
const paused = (e: Numbered & { readonly dueAt: number }, detail: ChangeDetail) =>
  ({
    ...under(e, e.dueAt === 0 ? 'Available' : 'WaitingRetry', {
      ...detail,
      ...(e.dueAt === 0 ? {} : { dueAt: e.dueAt }),
    }),
    from: 'Inflight',
  }) as const

const filters = (filteredBy: readonly number[] | undefined) =>
  filteredBy === undefined ? {} : { filteredBy }
