/** What tests of the record need: engines to ask, logs to forge, lives to replay. Nothing of it ships. */
export { MemorySavedStates } from './MemorySavedStates.ts'
export { acts, live } from './TestLives.ts'
export { ask, body, forge, lastFrame, receive, send, tester } from './TestRecord.ts'
