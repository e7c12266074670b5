/**
 * The stage of the executable specifications: a real engine and a real client on controlled time. Never decides
 * anything of its own; talks to the public interfaces only.
 */
export { beginning, createWorld, type World } from './World.ts'
export { Engine } from './Engine.ts'
export { readRecord, type RecordedEvent } from './readRecord.ts'
