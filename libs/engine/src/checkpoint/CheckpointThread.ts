import { Worker } from 'node:worker_threads'
import type { WireError } from '@kiroku/protocol'
import type { ReadCheckpoint } from './CheckpointCodec.ts'
import type { Piece } from './SnapshotPieces.ts'
import type { CheckpointTask, MadeCheckpoint } from './makeCheckpoint.ts'

/** What a thread is started for: to make a checkpoint of a snapshot whose lists come in pieces, or to read one. */
export type ThreadTask =
  { readonly make: CheckpointTask; readonly lists: number } | { readonly read: Uint8Array }

/** What a thread says. The lists of what it read come in pieces, one for each time that it is asked. */
export type ThreadReply =
  | { readonly made: MadeCheckpoint }
  | { readonly read: ReadCheckpoint | undefined; readonly lists: number }
  | { readonly piece: Piece | undefined }
  | { readonly error: WireError }

/** A thread for work on one checkpoint, which would keep the actor's waiting. */
export class CheckpointThread {
  readonly #worker: Worker

  /** `moved`: memory that the thread takes over. */
  constructor(task: ThreadTask, moved: ArrayBuffer[]) {
    this.#worker = new Worker(workerUrl(), { workerData: task, transferList: moved })
    // Who waits hears of it; nobody else has to.
    this.#worker.on('error', () => {})
  }

  send(message: Piece | 'next' | 'end', moved: ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, moved)
  }

  /** The next thing that it says. Rejects when it ends without a word. */
  reply(): Promise<ThreadReply> {
    const worker = this.#worker
    return new Promise((resolve, reject) => {
      const over = (act: () => void): void => {
        worker.off('message', said).off('error', failed).off('exit', ended)
        act()
      }
      const said = (reply: ThreadReply): void => over(() => resolve(reply))
      const failed = (error: Error): void => over(() => reject(error))
      const ended = (code: number): void =>
        over(() => reject(new Error(`the checkpoint thread ended with ${code}`)))
      worker.on('message', said).on('error', failed).on('exit', ended)
    })
  }
}

/** Beside this file in the sources, beside the bundle in a package. */
const workerUrl = (): URL =>
  new URL(
    import.meta.url.endsWith('.ts') ? './checkpointThreadMain.ts' : './checkpoint-thread.mjs',
    import.meta.url,
  )
