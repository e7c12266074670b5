import { parentPort, workerData } from 'node:worker_threads'
import { makeCheckpoint, type CheckpointTask } from './makeCheckpoint.ts'

const made = makeCheckpoint(workerData as CheckpointTask)
// Moved, because a copy would keep the actor waiting; a small buffer may share its memory with others.
const whole = made.bytes.byteLength === made.bytes.buffer.byteLength
parentPort!.postMessage(made, whole ? [made.bytes.buffer as ArrayBuffer] : [])
