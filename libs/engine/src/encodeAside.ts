import { Worker } from 'node:worker_threads'
import { makeCheckpoint, type CheckpointTask, type MadeCheckpoint } from './makeCheckpoint.ts'

/** Below this many messages and runs encoding takes less than starting a thread. */
const asideFrom = 20_000

/** Makes a checkpoint off the actor's thread where the state is large; takes the snapshot over. */
export const encodeAside = (task: CheckpointTask): Promise<MadeCheckpoint> => {
  const { snapshot } = task
  if (snapshot.live.number.length + snapshot.runs.size < asideFrom)
    return Promise.resolve(makeCheckpoint(task))
  const moved: ArrayBuffer[] = []
  for (const column of Object.values(snapshot.live)) moved.push((column as Float64Array<ArrayBuffer>).buffer)
  for (const chunk of snapshot.runs.chunks) moved.push(chunk.buffer as ArrayBuffer)
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerUrl(), { workerData: task, transferList: moved })
    worker.once('message', (made: MadeCheckpoint) => resolve(made))
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
