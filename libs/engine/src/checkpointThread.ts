import { parentPort, workerData } from 'node:worker_threads'
import { encodeCheckpoint } from './CheckpointCodec.ts'
import type { EncodeTask } from './encodeAside.ts'

const { snapshot, seq, hash, largeBodies } = workerData as EncodeTask
const encoded = encodeCheckpoint(snapshot, seq, hash, largeBodies)
parentPort!.postMessage(encoded)
