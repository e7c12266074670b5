/**
 * The room. Owns the functional core of a partition: commands, decide, evolve, many queues. Never touches
 * IO, clocks or chance (time and chance are arguments); talks to `@kiroku/protocol` and `@kiroku/message` only.
 */
export { loadCell, untouchedCell } from './cell.ts'
export { holdsAll } from './holdsAll.ts'
export { recordBytes } from './recordBytes.ts'
export { decide, endTurn, type CommandWith, type EngineCommand } from './decide.ts'
export { decideRedrive, lettersOf, type RedriveMove, type RedriveStep } from './decide/redrive.ts'
export { storedPlaces } from './decide/enqueueOnce.ts'
export { decideErase, decideKeysDeleted, decideUnreadable } from './decide/erase.ts'
export { decideEditBody } from './decide/editBody.ts'
export { decideSettle } from './decide/settle.ts'
export { decideDropped, decideMoved, decidePlaced, placePart } from './decide/spread.ts'
export type { SizedRef } from './decide/storeSend.ts'
export { TransitionCounts } from './feed/TransitionCounts.ts'
export { transitionsOf } from './feed/transitionsOf.ts'
export { availableAmong, availableNumbers, type AvailableMessage } from './available.ts'
export { bodiesBefore, decideCarry, lettersBefore, type OldBodies } from './carry.ts'
export { countsOf, describeQueues } from './describe.ts'
export { describeOutbox } from './describeOutbox.ts'
export { bringsLetters } from './decide/enqueue.ts'
export { closedLanesFor, decideClosingTold, decideForwarded, hold, targetName } from './decide/forwarded.ts'
export { editable, type BodyAt } from './editBody.ts'
export { beginFrame, evolve } from './evolve.ts'
export { findDelayed } from './delayed.ts'
export { Times } from './state/Times.ts'
export { redriveNumbers } from './redriveNumbers.ts'
export { firstMissing } from './firstMissing.ts'
export { looksInside, passesByTime, passesInside } from './redriveFilter.ts'
export { filteredSubs, passes } from './filter.ts'
export { PastFold, type PastArrival, type PastFrame } from './PastFold.ts'
export { runNumbers, type PastRun } from './PastRun.ts'
export { decideRestore } from './decide/restore.ts'
export { startOf, type Located } from './start.ts'
export { decideCreateSubscription, decideResetSubscription } from './decide/subscription.ts'
export {
  givenUpIn,
  oldestBodySeq,
  restore,
  restoring,
  snapshot,
  snapshotting,
  type Snapshot,
  snapshotVersion,
} from './snapshot.ts'
export { itemsIn, putTogether, takeApart } from './snapshotLists.ts'
export { readOlderSnapshot } from './olderSnapshot.ts'
export { snapshotSpace, type SnapshotSpace } from './snapshotSpace.ts'
export { readyRuns } from './untouched.ts'
export { isHashOf, stateHash, versionOf } from './stateHash.ts'
export { dedupKeyBytes } from './state/DedupKeys.ts'
export { laneKey, seenKey, type OutboxEntry, type OutboxLane } from './state/Outbox.ts'
export { PartitionState, type Erasure } from './state/PartitionState.ts'
export { homeKey, type LeavingPart, type Part } from './state/Spread.ts'
export { mainSubscription, type QueueState } from './state/QueueState.ts'
export type { Subscription } from './state/Subscription.ts'
export { messageOf, messageSpans, type MessageSpan, type StandingMessage } from './messageSpans.ts'
export { listMessages, type ListOptions, type MessageList, type MessagePlace } from './listMessages.ts'
export { nextTimerAt } from './timers.ts'
export {
  pushNumber,
  Turn,
  type PlannedDelivery,
  type Rest,
  type TurnAnswer,
  type TurnSection,
} from './Turn.ts'
