import type { LogEventType } from '@kiroku/message'
import type { ActorState } from '@kiroku/engine'
import type { CoverageKind } from '../core/Coverage.ts'
import { actKinds } from '../plan/Act.ts'
import { lawfulTransitions } from '../checkers/law.ts'

/** Every fact of the log; one that the world does not bring about says why. */
const events: Readonly<Record<LogEventType, true | string>> = {
  OwnerChanged: true,
  ClockResumed: true,
  Checkpointed: true,
  Trimmed: true,
  ForeignRecordSkipped: true,
  Repaired: true,
  QueueCreated: true,
  QueueConfigured: true,
  QueueDeleted: true,
  QueuePurged: true,
  DeliveryPaused: true,
  DeliveryResumed: true,
  SubscriptionCreated: true,
  SubscriptionConfigured: true,
  SubscriptionReset: true,
  SubscriptionDeleted: true,
  RunsRestored: true,
  SubscriptionFilled: true,
  Enqueued: true,
  ForwardReceived: true,
  Delivered: true,
  DelayElapsed: true,
  Recalled: true,
  Rescheduled: true,
  LeaseExtended: true,
  Released: true,
  Acked: true,
  RetryScheduled: true,
  LeaseExpired: true,
  RetryDue: true,
  DeadLettered: true,
  Discarded: true,
  BodiesCarried: true,
  BodyEdited: true,
  Forwarded: true,
  QueueSpread: true,
  PartOpened: true,
  PartClosed: true,
  PartGone: true,
  PartPlaced: true,
  PartLeft: true,
  Deduplicated: true,
  RedriveStarted: true,
  Redriven: true,
  RedriveEnded: true,
  Erased: 'no queue of the world is erasable yet',
  KeysDeleted: 'no queue of the world is erasable yet',
}

const actorStates: Readonly<Record<ActorState, true | string>> = {
  Acquiring: 'an actor leaves it in the step in which it is made',
  Fencing: true,
  Recovering: true,
  Active: true,
  Draining: true,
  Released: true,
  Fenced: true,
  Quarantined: true,
}

const faults = [
  'append lost',
  'append answer lost',
  'append late',
  'append without room',
  'fence lost',
  'fence answer lost',
  'fence late',
  'late write stored',
  'late write after another',
  'log answer delayed',
  'request lost',
  'reply lost',
  'reply delayed',
  'request to an earlier owner',
  'announcement lost',
  'delivery to nobody',
]

/** Everything that must occur, by kind and name. */
export const expectedCoverage = (): [CoverageKind, string][] => [
  ...faults.map((name): [CoverageKind, string] => ['fault', name]),
  ...actKinds.map((name): [CoverageKind, string] => ['fault', name]),
  ...present(events).map((name): [CoverageKind, string] => ['event', name]),
  ...lawfulTransitions().map((name): [CoverageKind, string] => ['transition', name]),
  ...present(actorStates).map((name): [CoverageKind, string] => ['actor', name]),
  ['party', 'node died'],
  ['party', 'client died'],
]

const present = (names: Readonly<Record<string, true | string>>): string[] =>
  Object.entries(names).flatMap(([name, is]) => (is === true ? [name] : []))
