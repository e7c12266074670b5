import { Worker } from 'node:worker_threads'
import type { Snapshot } from '@kiroku/partition'
import { encodeCheckpoint, type EncodedCheckpoint } from './CheckpointCodec.ts'

/** Below this many messages and runs encoding takes less than starting a thread. */
const asideFrom = 20_000

/** What the thread is given. */
export interface EncodeTask {
  readonly snapshot: Snapshot
  readonly seq: number
  readonly hash: Uint8Array
  readonly largeBodies: readonly number[]
}

/** Encodes a checkpoint off the actor's thread where the state is large; takes the snapshot over. */
export const encodeAside = ({ snapshot, seq, hash, largeBodies }: EncodeTask): Promise<EncodedCheckpoint> => {
  if (snapshot.live.number.length + snapshot.runs.size < asideFrom)
    return Promise.resolve(encodeCheckpoint(snapshot, seq, hash, largeBodies))
  const task: EncodeTask = { snapshot, seq, hash, largeBodies }
  const moved: ArrayBuffer[] = []
  for (const column of Object.values(snapshot.live)) moved.push((column as Float64Array<ArrayBuffer>).buffer)
  for (const chunk of snapshot.runs.chunks) moved.push(chunk.buffer as ArrayBuffer)
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerUrl(), { workerData: task, transferList: moved })
    worker.once('message', (encoded: EncodedCheckpoint) => resolve(encoded))
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`the checkpoint thread ended with ${code}`)))
  })
}

/** Beside this file in the sources, beside the bundle in a package. */
const workerUrl = (): URL =>
  new URL(
    import.meta.url.endsWith('.ts') ? './checkpointThread.ts' : './checkpoint-thread.mjs',
    import.meta.url,
  )
