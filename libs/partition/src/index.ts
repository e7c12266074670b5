/**
 * The room. Owns the functional core of a partition: commands, decide, evolve, many queues. Never touches
 * IO, clocks or chance (time and chance are arguments); talks to `@kiroku/protocol` and `@kiroku/message` only.
 */
// Deciding and applying
export { decide, endTurn } from './decide.ts'
export { evolve } from './evolve.ts'
export { nextTimerAt } from './timers.ts'
export { Turn, type PlannedDelivery, type Rest, type TurnAnswer } from './Turn.ts'
// What is remembered
export { Ownership } from './ownership/Ownership.ts'
export { PartitionState, type Erasure } from './state/PartitionState.ts'
export type { QueueState } from './state/QueueState.ts'
export type { Subscription } from './state/QueueState.ts'
export type { OutboxEntry, OutboxLane } from './forward/Outbox.ts'
export type { LeavingPart } from './spread/Spread.ts'
// What the owner asks before it commands
export { recordBytes } from './owner/recordBytes.ts'
export { storedPlaces } from './repeats/enqueueOnce.ts'
export { startOf, type Located } from './subscription/start.ts'
export { editable } from './edit/editBody.ts'
export { closedLanesFor } from './forward/decideForwarded.ts'
export { placePart } from './spread/decideHome.ts'
export { availableAmong } from './store/available.ts'
export type { RedriveMove } from './redrive/decideRedrive.ts'
export { redriveNumbers } from './redrive/redriveNumbers.ts'
export { PastFold } from './past/PastFold.ts'
export type { PastRun } from './past/PastRun.ts'
// What others ask
export { countsOf } from './read/countsOf.ts'
export { describeQueues } from './read/describe.ts'
export { lettersOf } from './forward/describeOutbox.ts'
export { TransitionCounts } from './read/TransitionCounts.ts'
export { transitionsOf } from './read/transitionsOf.ts'
export { firstMissing } from './owner/firstMissing.ts'
export { loadCell } from './store/loadCell.ts'
export { readyRuns } from './store/readyRuns.ts'
// Snapshots
export { snapshot, snapshotting } from './snapshot/takeSnapshot.ts'
export { SnapshotSpace } from './snapshot/SnapshotSpace.ts'
export { restore, restoring } from './snapshot/restore.ts'
export {
  givenUpIn,
  isOwnSnapshot,
  oldestBodySeq,
  type Snapshot,
  snapshotVersion,
} from './snapshot/Snapshot.ts'
export { readOlderSnapshot } from './snapshot/olderSnapshot.ts'
export { stateHash } from './snapshot/stateHash.ts'
export { bodiesBefore, type OldBodies } from './trim/bodiesBefore.ts'
