/**
 * The words. Owns what every room speaks of: commands with their answers, log events, settings with their texts, errors,
 * ids, receipts, envelopes and ranges. Decides nothing, stores nothing, imports nothing.
 */
export {
  bodyBytes,
  isDisguised,
  bodyOf,
  encodeEnvelope,
  encodeMeta,
  metaBytes,
  metaBytesMax,
  decodeEnvelope,
  type EnvelopeMeta,
  type Lineage,
} from './Envelope.ts'
export {
  checkNewName,
  checkQueueName,
  messageId,
  parseMessageId,
  parseReceipt,
  partitionOf,
  receipt,
  type ReceiptAddress,
} from './address.ts'
export type { MessageAddress } from './MessageAddress.ts'
export { messageUuid, parseMessageUuid } from './messageUuid.ts'
export { ChurnMap } from './churn/ChurnMap.ts'
export { ChurnSet } from './churn/ChurnSet.ts'
export { TextScratch } from './TextScratch.ts'
export { canonical } from './canonical.ts'
export {
  grantsRule,
  grantsText,
  isLike,
  isRestricted,
  joinGrants,
  parseGrants,
  roleOn,
  roleSomewhere,
  roleSuffices,
  type Grants,
  type QueueGrant,
  type Role,
} from './access/Grants.ts'
export type {
  Answer,
  CommandOf,
  Command,
  Answers,
  CommandType,
  EngineCommand,
  Reply,
} from './command/Command.ts'
export type { RedriveDescription } from './observe/RedriveDescription.ts'
export type {
  ConsumerDescription,
  QueueDescription,
  OutboxDescription,
  QueueCounts,
  SubscriptionDescription,
  GroupDescription,
  PartDescription,
} from './observe/QueueDescription.ts'
export type {
  CheckpointsDescription,
  PartitionClock,
  PartitionDescription,
  MemoryDescription,
  StorageDescription,
} from './observe/PartitionDescription.ts'
export { memoryTrouble } from './observe/memoryTrouble.ts'
export { laterHold, type Hold } from './observe/Hold.ts'
export type { HeldLane } from './observe/HeldLane.ts'
export {
  type RedriveFilter,
  isDryRun,
  type Redrive,
  type RedriveSkip,
  type RedriveTo,
  type RedriveState,
} from './observe/Redrive.ts'
export type { NamesPage, QueuesPage } from './command/observe.ts'
export type { SpreadView } from './command/SpreadView.ts'
export { parseStart, type StartClock, type StartPosition } from './command/StartPosition.ts'
export { isCommand, nodeCommands, notCommand } from './command/isCommand.ts'
export { cleanActor, withCleanActor } from './command/withCleanActor.ts'
export { mainSubscription } from './command/mainSubscription.ts'
export { checkJson, contentTypeOf, jsonSlip } from './contentType.ts'
export { checkHandler, checkOptions, type OptionRules, rule } from './checkOptions.ts'
export { shown, shownJson } from './shown.ts'
export { KirokuError, isKirokuError, errorFromWire, type WireError } from './error/KirokuError.ts'
export type { ErrorId } from './error/ErrorId.ts'
export { errorRegistry } from './error/errorRegistry.ts'
export { fingerprintOf } from './error/fingerprint.ts'
export type { DiscardReason } from './event/DiscardReason.ts'
export type { Actor } from './event/Actor.ts'
export type { AppliedSection, NoteChanges } from './event/queue.ts'
export { dedupKeyBytes, type ConsumeMode } from './event/message.ts'
export type { LogEvent, LogEventOf, LogEventType } from './event/LogEvent.ts'
export { effectOf, type MessageChange, type MessageEnd } from './event/effectOf.ts'
export type { PartTotals } from './event/spread.ts'
export { runNumbers } from './event/subscription.ts'
export { isSameQueue, type QueueAddress } from './event/QueueAddress.ts'
export { State, stateNames, isFinal, type StateName } from './event/State.ts'
export { rangeBytes, textBytes, eventBytes, valueBytes } from './event/eventBytes.ts'
export { featureLevel, inForce, queueNotesLevel, recordable } from './featureLevel.ts'
export { isReplyQueue } from './isReplyQueue.ts'
export { limits } from './limits.ts'
export { passedQueues, readPassed } from './passedQueues.ts'
export {
  dedupIdRule,
  groupRule,
  isDedupId,
  isGroup,
  isLogName,
  isTag,
  logNameRule,
  tagRule,
} from './names.ts'
export {
  batchFill,
  deliveriesPer1000,
  mergeBatches,
  mergeRecentBatches,
  type BatchFigures,
  type RecentBatches,
} from './observe/BatchFigures.ts'
export {
  type FromState,
  type QueueUpdate,
  type TransitionCount,
  newMessage,
  type PartitionUpdate,
  type QueueChange,
  type QueueSnapshot,
} from './observe/PartitionUpdate.ts'
export { mergeTimes, type QueueTimes, timesOf } from './observe/QueueTimes.ts'
export { timeBucket, timeBuckets, TimeCounts, type TimeFigures } from './observe/TimeCounts.ts'
export { clockTrouble, type ClockTrouble } from './observe/clockTrouble.ts'
export { heldWarning } from './observe/heldWarning.ts'
export { largestConsumers, mergeConsumers } from './observe/mergeConsumers.ts'
export { noCounts } from './observe/noCounts.ts'
export { storageTrouble } from './observe/storageTrouble.ts'
export { type QueueConfig, type DeadLetterTarget } from './settings/QueueConfig.ts'
export { defaultQueueConfig } from './settings/defaultQueueConfig.ts'
export {
  describeRetryPolicy,
  parseRetryPolicy,
  retryDelayMs,
  type RetryPolicy,
} from './settings/RetryPolicy.ts'
export { type SubscriptionSettings, isOwnSetting } from './settings/SubscriptionSettings.ts'
export { attemptsMaxOf } from './settings/attemptsMaxOf.ts'
export { checkConfig, checkSetting, unknownSetting } from './settings/checkConfig.ts'
export { checkSubscription } from './settings/checkSubscription.ts'
export { configWarnings } from './settings/configWarnings.ts'
export { discardWarnings } from './settings/discardWarnings.ts'
export { inTime, valueInWords } from './settings/inUnits.ts'
export { queueSettings, settingGroups, type QueueSetting } from './settings/queueSettings.ts'
export { refuseNamed } from './settings/refuseNamed.ts'
export { requireKnown, requireKnownOwn } from './settings/requireKnown.ts'
export { retentionWarnings, type Retention } from './settings/retentionWarnings.ts'
export type { Delivery } from './command/receive.ts'
export type { Refusal, SettleItem, UndeliveredItem } from './command/settle.ts'
export type { PartSubscription } from './command/spread.ts'
export { parseSetting, rangeOf, writeSetting } from './settings/settingText.ts'
export {
  durationForm,
  durationUnits,
  formatDuration,
  isDuration,
  parseDurationMs,
  formatBytes,
  exactBytes,
  exactDuration,
  parseBytes,
} from './settings/units.ts'
export {
  type Ranges,
  eachNumber,
  indexInRanges,
  intersectRanges,
  pushNumber,
  pushRange,
  rangeFrom,
  rangeNumbers,
  rangesInclude,
  rangesInOrder,
  rangesOverlap,
  rangeTotal,
} from './Ranges.ts'
export type { FeedProgress, FeedUpdate } from './observe/FeedUpdate.ts'
export { sumCounts } from './observe/sumCounts.ts'
export { firstPlace } from './firstPlace.ts'
export { groupBy } from './groupBy.ts'
export { instead, nearest } from './nearest.ts'
export { unless } from './unless.ts'
