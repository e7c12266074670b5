/**
 * Reading the record. Owns trace, verify and repair: folds over the log with the engine's own pure code, which
 * run in a browser too; IO only in thin files, like `trace.ts`, `verify.ts`, `readDeadLetters.ts` and `repair.ts`. Looking never changes anything: only
 * `repair` writes, as a fenced owner. Talks to the log port, the partition's rules and the law.
 */
export { trace, type TraceOptions } from './trace.ts'
export type { TraceIndex } from './TraceIndex.ts'
export { renderTrace } from './renderTrace.ts'
export type { Trace, TraceAttempt, TraceStep, UnreadableRecord } from './TraceStep.ts'
export { attemptsOf } from './attemptsOf.ts'
export { exportTrace, importTrace } from './traceFile.ts'
export type { DecodeCheckpoint, StoredCheckpoint } from './Checkpoint.ts'
export type { OnProgress, Progress } from './Progress.ts'
export { verify } from './verify.ts'
export type { KeyReport } from './checkKeys.ts'
export type { KeyProblem } from './KeyLedger.ts'
export type {
  PartitionReport,
  Problem,
  RepairNote,
  SinceProof,
  Totals,
  VerifyOptions,
  VerifyReport,
} from './VerifyReport.ts'
export { checkRecord, type RecordCheck } from './checkRecord.ts'
export { encodeEvent, encodeHeartbeat } from './feed/encodeEvent.ts'
export { FeedHub, type FeedReader } from './feed/FeedHub.ts'
export type { FeedMessage, FeedPlace } from './feed/FeedMessage.ts'
export { TailFold, type TailLine } from './feed/TailFold.ts'
export { countEvent, type OnCount } from './history/countEvent.ts'
export type { AskedStretch, History, HistoryAct, HistoryBucket, QueueHistory } from './history/History.ts'
export { tallyFields, type Tally, type TallyField } from './history/Tally.ts'
export { sumCounts } from './sumCounts.ts'
export type { TailNote } from './TailNote.ts'
export { openPartition } from './openPartition.ts'
export { planRepair, repair } from './repair.ts'
export type { RepairKind, RepairOptions, RepairOrder, RepairPlan } from './RepairPlan.ts'
export {
  LogPass,
  type LostPart,
  type MomentPolicy,
  type PassFrame,
  type PassListener,
  type PassOptions,
} from './LogPass.ts'
export type { Moment, MomentNote, MomentStore } from './Moment.ts'
export { MemoryMoments } from './MemoryMoments.ts'
export {
  filterFields,
  type Comparison,
  type Condition,
  type Filter,
  type FilterField,
  type Pattern,
} from './filter/Filter.ts'
export { FilterError } from './filter/FilterError.ts'
export { parseFilter } from './filter/parseFilter.ts'
export { parseSpan } from './filter/parseSpan.ts'
export { passesFilter, type FilteredMessage } from './filter/passesFilter.ts'
export { addSettled, settledNone, type MatchingAct, type SettledPiece } from './filter/SettledPiece.ts'
export {
  Looker,
  type Look,
  type LookOptions,
  type LookPartition,
  type LookPlace,
  type MissingPartition,
} from './Looker.ts'
export { logAt, type LogMoment, type MomentPartition } from './logAt.ts'
export { recordingOf, type RecordingOptions } from './recordingOf.ts'
export { encodeRecording } from './replay/recordingBytes.ts'
export type { RecordedFrame, RecordedJump, Recording, RecordingPlace } from './replay/Recording.ts'
export {
  batchCosts,
  type BatchCost,
  type BatchCosts,
  type ReplayedCost,
  type SubscriptionBatches,
} from './batchCosts.ts'
export { spanOf, type LogSpan, type PartitionSpan } from './spanOf.ts'
export { stateAt, type StateAtOptions } from './stateAt.ts'
export type {
  AskedMoment,
  MomentMessage,
  MomentPlace,
  MomentSubscription,
  QueueMoment,
  QueueOverview,
} from './QueueMoment.ts'
export {
  diffMoments,
  type DiffMessage,
  type DiffMessages,
  type DiffOptions,
  type MomentDiff,
} from './diffMoments.ts'
export { thinned } from './thinned.ts'
export { populationOf } from './populationOf.ts'
export { play, type PlayEvent, type PlayStep } from './play.ts'
export { DeadLetters } from './DeadLetters.ts'
export type { DeadLetter, DeadLetterGroup, Payload } from './DeadLetter.ts'
export { gatherDeadLetters, readDeadLetters, type DeadLetterOptions } from './readDeadLetters.ts'
export { LetterSelector, type LetterSelection } from './LetterSelector.ts'
export { placeNow } from './placeNow.ts'
export { explain, type Explanation } from './explain.ts'
export { parseProof, proofOf, renderProof, type PartitionProof, type Proof } from './Proof.ts'
export { passesActFilter, type Act, type ActFilter } from './acts/Act.ts'
export { actOf } from './acts/actOf.ts'
export { missingText, type LostPartition } from './missingText.ts'
export { readActs, type ReadActsOptions } from './acts/readActs.ts'
export { renderActs } from './acts/renderActs.ts'
export { bodiesOf } from './bodiesOf.ts'
export { bodyOf, type MessageBody } from './bodyOf.ts'
export { payloadIn } from './payloadOf.ts'
