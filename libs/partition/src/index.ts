/**
 * The room. Owns the functional core of a partition: commands, decide, evolve, many queues. Never touches
 * IO, clocks or chance (time and chance are arguments); talks to `@kiroku/protocol` and `@kiroku/message` only.
 */
export { loadCell, untouchedCell } from './store/loadCell.ts'
export { holdsAll } from './receive/holdsAll.ts'
export { recordBytes } from './owner/recordBytes.ts'
export { decide, endTurn, type CommandWith, type EngineCommand } from './decide.ts'
export { decideRedrive, lettersOf, type RedriveMove, type RedriveStep } from './redrive/decideRedrive.ts'
export { storedPlaces } from './send/enqueueOnce.ts'
export { decideErase, decideKeysDeleted, decideUnreadable } from './erasure/decideErase.ts'
export { decideEditBody } from './edit/decideEditBody.ts'
export { decideSettle } from './settle/decideSettle.ts'
export { decideDropped, decideMoved, decidePlaced, placePart } from './spread/decideHome.ts'
export type { SizedRef } from './send/storeSend.ts'
export { TransitionCounts } from './read/TransitionCounts.ts'
export { transitionsOf } from './read/transitionsOf.ts'
export { availableAmong, availableNumbers, type AvailableMessage } from './store/available.ts'
export { bodiesBefore, decideCarry, lettersBefore, type OldBodies } from './trim/carry.ts'
export { countsOf, describeQueues } from './read/describe.ts'
export { describeOutbox } from './forward/describeOutbox.ts'
export { bringsLetters } from './forward/decideForward.ts'
export {
  closedLanesFor,
  decideClosingTold,
  decideForwarded,
  hold,
  targetName,
} from './forward/decideForwarded.ts'
export { editable, type BodyAt } from './edit/editBody.ts'
export { beginFrame, evolve } from './evolve.ts'
export { findDelayed } from './delay/delayed.ts'
export { Ownership } from './ownership/Ownership.ts'
export { redriveNumbers } from './redrive/redriveNumbers.ts'
export { firstMissing } from './owner/firstMissing.ts'
export { looksInside, passesByTime, passesInside } from './redrive/redriveFilter.ts'
export { filteredSubs, passes } from './send/filter.ts'
export { PastFold, type PastArrival, type PastFrame } from './past/PastFold.ts'
export { runNumbers, type PastRun } from './past/PastRun.ts'
export { decideRestore } from './past/decideRestore.ts'
export { startOf, type Located } from './subscription/start.ts'
export { decideCreateSubscription, decideResetSubscription } from './subscription/decideSubscription.ts'
export { snapshot, snapshotting } from './snapshot/takeSnapshot.ts'
export { restore, restoring } from './snapshot/restore.ts'
export { givenUpIn, oldestBodySeq, type Snapshot, snapshotVersion } from './snapshot/Snapshot.ts'
export { itemsIn, putTogether, takeApart } from './snapshot/snapshotLists.ts'
export { readOlderSnapshot } from './snapshot/olderSnapshot.ts'
export { snapshotSpace, type SnapshotSpace } from './snapshot/snapshotSpace.ts'
export { readyRuns } from './store/readyRuns.ts'
export { isHashOf, stateHash, versionOf } from './snapshot/stateHash.ts'
export { dedupKeyBytes } from './send/DedupKeys.ts'
export { laneKey, seenKey, type OutboxEntry, type OutboxLane } from './forward/Outbox.ts'
export { PartitionState, type Erasure } from './state/PartitionState.ts'
export { homeKey, type LeavingPart, type Part } from './spread/Spread.ts'
export { mainSubscription, type QueueState } from './state/QueueState.ts'
export type { Subscription } from './state/Subscription.ts'
export { messageOf, messageSpans, type MessageSpan, type StandingMessage } from './read/messageSpans.ts'
export { listMessages, type ListOptions, type MessageList, type MessagePlace } from './read/listMessages.ts'
export { nextTimerAt } from './timers.ts'
export {
  pushNumber,
  Turn,
  type PlannedDelivery,
  type Rest,
  type TurnAnswer,
  type TurnSection,
} from './Turn.ts'
