/**
 * Reading the record. Owns trace, verify and repair: folds over the log with the engine's own pure code, which
 * run in a browser too; IO only in thin files, like `trace.ts`, `verify.ts`, `readDeadLetters.ts` and
 * `repair.ts`. Reading never changes anything: only `repair` writes, as a fenced owner. Talks to the log
 * port, the partition's rules and the law.
 */
export { trace, type TraceOptions } from './trace/trace.ts'
export { Hiding, type Hidden, type KnownQueue, type Passed } from './hidden/Hiding.ts'
export { queuesOfLog } from './hidden/queuesOfLog.ts'
export { seenBy, type Seen, type Sight } from './hidden/Sight.ts'
export { withoutErrors } from './hidden/withoutErrors.ts'
export { passedBy } from './hidden/passedBy.ts'
export type { TraceIndex } from './trace/TraceIndex.ts'
export { renderTrace } from './trace/renderTrace.ts'
export type { Trace, TraceAttempt, TraceStep, UnreadableRecord } from './trace/TraceStep.ts'
export { attemptsOf } from './trace/attemptsOf.ts'
export { exportTrace, importTrace } from './trace/traceFile.ts'
export type { DecodeCheckpoint, StoredCheckpoint } from './replay/Checkpoint.ts'
export type { OnProgress, Progress } from './replay/Progress.ts'
export { verify } from './verify/verify.ts'
export type { KeyReport } from './verify/checkKeys.ts'
export type { KeyProblem } from './verify/KeyLedger.ts'
export type {
  PartitionReport,
  Problem,
  RepairNote,
  SinceProof,
  Totals,
  VerifyReport,
} from './verify/VerifyReport.ts'
export type { Witness, WitnessReport } from './verify/Witness.ts'
export type { VerifyOptions } from './verify/VerifyOptions.ts'
export { checkRecord, type RecordCheck } from './repair/checkRecord.ts'

export { TailFold, type TailLine } from './tail/TailFold.ts'
export { countEvent, type OnCount } from './history/countEvent.ts'
export type { AskedStretch, History, HistoryAct, HistoryBucket, QueueHistory } from './history/History.ts'
export { tallyFields, type Tally, type TallyField } from './history/Tally.ts'

export type { TailNote } from './verify/TailNote.ts'
export { openPartition } from './replay/openPartition.ts'
export { planRepair, repair } from './repair/repair.ts'
export type { RepairKind, RepairOptions, RepairOrder, RepairPlan } from './repair/RepairPlan.ts'
export {
  Replay,
  type LostPart,
  type SavePolicy,
  type ReplayFrame,
  type ReplayListener,
  type ReplayOptions,
} from './replay/Replay.ts'
export type { SavedState, SavedStateNote, SavedStateStore } from './replay/SavedState.ts'
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
export { checkWhere } from './filter/checkWhere.ts'
export { parseSpan } from './filter/parseSpan.ts'
export { passesFilter, type FilteredMessage } from './filter/passesFilter.ts'
export { addSettled, settledNone, type MatchingAct, type SettledPiece } from './filter/SettledPiece.ts'
export { parseMoment } from './past/parseMoment.ts'
export { parseStates } from './past/parseStates.ts'
export { PastReader } from './past/PastReader.ts'
export {
  type PastQueue,
  type PastOptions,
  type PastPartition,
  type PastPart,
  type MissingPartition,
} from './past/PastLog.ts'
export { logAt, type LogMoment, type MomentPartition } from './past/logAt.ts'
export { recordingOf, type RecordingOptions } from './past/recordingOf.ts'
export { encodeRecording } from './browser/recordingBytes.ts'
export type { RecordedFrame, RecordedJump, Recording, RecordingPart } from './browser/Recording.ts'
export {
  batchCosts,
  type BatchCost,
  type BatchCosts,
  type ReplayedCost,
  type SubscriptionBatches,
} from './batches/batchCosts.ts'
export { spanOf, type LogSpan, type PartitionSpan } from './past/spanOf.ts'
export { stateAt, type StateAtOptions } from './past/stateAt.ts'
export type {
  AskedMoment,
  MomentMessage,
  MomentPart,
  MomentSubscription,
  QueueMoment,
  QueueOverview,
} from './past/QueueMoment.ts'
export {
  diffMoments,
  type DiffMessage,
  type DiffMessages,
  type DiffOptions,
  type MomentDiff,
} from './past/diffMoments.ts'
export { thinSavedStates } from './replay/thinSavedStates.ts'
export { populationOf } from './past/populationOf.ts'
export { play, type PlayEvent, type PlayStep } from './past/play.ts'
export { DeadLetters } from './letters/DeadLetters.ts'
export type { DeadLetter, DeadLetterGroup, Payload } from './letters/DeadLetter.ts'
export { gatherDeadLetters, readDeadLetters, type DeadLetterOptions } from './letters/readDeadLetters.ts'
export { LetterSelector, type LetterSelection } from './letters/LetterSelector.ts'
export { placeNow } from './trace/placeNow.ts'
export { explain, type Explanation } from './trace/explain.ts'
export { parseProof, proofOf, renderProof, type PartitionProof, type Proof } from './verify/Proof.ts'
export { passesActFilter, type Act, type ActFilter } from './acts/Act.ts'
export { actOf } from './acts/actOf.ts'
export { missingText, type LostPartition } from './replay/missingText.ts'
export { parseActFilter } from './acts/parseActFilter.ts'
export { readActs, type ReadActsOptions } from './acts/readActs.ts'
export { renderActs } from './acts/renderActs.ts'
export { bodiesOf } from './bodies/bodiesOf.ts'
export { bodyOf, type MessageBody } from './bodies/bodyOf.ts'
export { payloadIn, withoutText } from './letters/payloadOf.ts'
export type { SearchAnswer, FoundMessage, ReachedPartition } from './filter/FoundMessage.ts'
export type { Asker } from './questions/Asker.ts'
export {
  recordQuestions,
  type Answering,
  type RecordQuestion,
  type RecordQuestions,
} from './questions/RecordQuestions.ts'
export { questionLimits } from './questions/questionLimits.ts'
