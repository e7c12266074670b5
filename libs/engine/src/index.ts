/**
 * The engine: one actor per partition that this node owns, which gathers commands, decides them, appends one frame and
 * answers when it is stored. Knows neither NATS nor a door; asks `@kiroku/partition` for the rules and `@kiroku/log` for
 * the record.
 *
 * `actor/` the life of an ownership, what comes in, turns, answers · `append/` fences and appends in flight · `bodies/`
 * where bodies lie · `keys/` encryption and erasure · `tasks/` what an owner does on its own · `checkpoint/` saved states,
 * trims, replay · `store/` how much room there is · `testing/` for tests only.
 */
export { Node, type LockLease, type NodeOptions } from './Node.ts'
export type { PartitionActor } from './actor/PartitionActor.ts'
export type { ActorState } from './actor/lifecycle.ts'
export { limits } from './limits.ts'
export { liveTime, type Time } from './Time.ts'
export type { CheckpointPolicy } from './checkpoint/Checkpoints.ts'
export { noteFilesIn, readTailNotes, TailNotes, type NoteFiles } from './checkpoint/TailNotes.ts'
export { appendSecondsBounds } from './Metrics.ts'
export { decodeCheckpoint } from './checkpoint/CheckpointCodec.ts'
