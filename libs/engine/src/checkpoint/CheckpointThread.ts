import { Worker } from 'node:worker_threads'
import type { WireError } from '@kiroku/protocol'
import type { ReadCheckpoint } from './CheckpointCodec.ts'
import type { Piece } from './SnapshotPieces.ts'
import type { CheckpointTask, MadeCheckpoint } from './makeCheckpoint.ts'

/** What a thread is started for: to make a checkpoint of a snapshot whose lists come in pieces, or to read one. */
export type ThreadTask =
  | { readonly make: CheckpointTask; readonly lists: number; readonly givesWay: boolean }
  | { readonly read: Uint8Array }

/** What a thread replies. The lists of what it read come in pieces, one per request. */
export type ThreadReply =
  | { readonly made: MadeCheckpoint }
  | { readonly read: ReadCheckpoint | undefined; readonly lists: number }
  | { readonly piece: Piece | undefined }
  | { readonly error: WireError }

/** A thread for work on one checkpoint, which would take too long on the actor's. */
export class CheckpointThread {
  readonly #worker: Worker

  /** `moved`: memory that the thread takes over. */
  constructor(task: ThreadTask, moved: ArrayBuffer[]) {
    this.#worker = new Worker(workerUrl(), { workerData: task, transferList: moved })
    // `reply` rejects with it; without this listener it would end the process.
    this.#worker.on('error', () => {})
  }

  send(message: Piece | 'next' | 'end', moved: ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, moved)
  }

  /** Its next reply. Rejects when it ends without one. */
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

/** Next to this file in the sources, next to the bundle in a package. */
const workerUrl = (): URL =>
  new URL(
    import.meta.url.endsWith('.ts') ? './checkpointThreadMain.ts' : './checkpoint-thread.mjs',
    import.meta.url,
  )
