/**
 * The partition actor. Owns one partition at a time for each actor: gather, decide, append one frame, answer.
 * Never knows NATS or a door; talks to `@kiroku/partition` for the rules and to `@kiroku/log` for the truth.
 */
export { Node, type LockLease, type NodeOptions } from './Node.ts'
export { PartitionActor } from './actor/PartitionActor.ts'
export type { ActorOptions } from './actor/ActorOptions.ts'
export { lifecycle, type ActorState } from './actor/lifecycle.ts'
export { limits } from './limits.ts'
export { liveTime, type Time } from './Time.ts'
export type { CheckpointPolicy } from './checkpoint/Checkpoints.ts'
export { noteFilesIn, readTailNotes, TailNotes, type NoteFiles } from './checkpoint/TailNotes.ts'
export { Metrics, appendSecondsBounds } from './Metrics.ts'
export { decodeCheckpoint, type Checkpoint } from './checkpoint/CheckpointCodec.ts'
export type { Route } from './tasks/Owner.ts'
