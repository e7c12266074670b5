/**
 * The log port. Owns what a log is: records, frames, the hash chain, the contract suite and the memory twin.
 * Knows nothing of NATS or queues' rules; talks to `@kiroku/message` for events and errors.
 */
export { keysKeptMs, type KeyEntry, type KeyStore } from './KeyStore.ts'
export { KeyReader, type Opened, type OpenMessage } from './KeyReader.ts'
export {
  blockEntry,
  blockMessages,
  entryOf,
  groupEntry,
  keyIn,
  keyIds,
  messageKeyName,
  newBlock,
  withKeysFrom,
  withNewKey,
  withoutMessages,
} from './keyNames.ts'
export { isSealed, lock, readSealed, unlock, writeSealed, type SealedHead } from './Sealed.ts'
export type { CheckpointStore, Log, LogMeta, LogRecord, LogState, PartitionLog, StoreRoom } from './Log.ts'
export { frameVersion, type BodyRef, type BodySection, type FrameContent } from './Frame.ts'
export {
  decodeRecord,
  encodeBodyRecord,
  encodeRecord,
  largeBodyOf,
  type BodyContent,
  type EncodedRecord,
} from './FrameCodec.ts'
export type { DecodedBody, DecodedFrame, DecodedRecord } from './DecodedRecord.ts'
export { bodyTableAt, bodyTableBytes, FrameBodies } from './FrameBodies.ts'
export { hashBytes, isOurs, zeroHash } from './RecordLayout.ts'
export { MemoryKeys } from './MemoryKeys.ts'
export { createMemoryLog, type MemoryLog, type MemoryLogOptions } from './MemoryLog.ts'
export type { MemoryFaults, WriteFault } from './MemoryFaults.ts'
export type { Schedule } from './MemoryPartition.ts'
export { readChain, type ChainAnchor, type ChainEntry, type ReadChainOptions } from './Chain.ts'
export { ChainError } from './ChainError.ts'
export { equalBytes } from './equalBytes.ts'
export { firstFrameAt, frameFrom, type TimedFrame } from './frameAt.ts'
export { hexOf, sha256 } from './recordHash.ts'
