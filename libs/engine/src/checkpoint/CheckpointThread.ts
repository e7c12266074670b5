import { Worker } from 'node:worker_threads'
import type { WireError } from '@kiroku/protocol'
import type { ReadCheckpoint } from './CheckpointCodec.ts'
import type { Piece } from './SnapshotPieces.ts'
import type { CheckpointTask, MadeCheckpoint } from './makeCheckpoint.ts'

/** How a thread is started. */
export interface ThreadSetup {
  /** Whether it may take as long as the actor leaves it time for. */
  readonly givesWay: boolean
}

/** What a thread is told: to make a checkpoint, with the pieces and their end behind it; or to read one, whose pieces are asked for. */
export type ThreadMessage =
  | { readonly make: CheckpointTask; readonly lists: number }
  | Piece
  | 'end'
  | { readonly read: Uint8Array }
  | 'next'

/** What a thread replies. The lists of what it read come in pieces, one per request. */
export type ThreadReply =
  | { readonly made: MadeCheckpoint }
  | { readonly read: ReadCheckpoint | undefined; readonly lists: number }
  | { readonly piece: Piece | undefined }
  | { readonly error: WireError }

/** A thread for work on checkpoints, one at a time, which would take too long on the actor's. */
export class CheckpointThread {
  readonly #worker: Worker
  #hasEnded = false

  constructor(setup: ThreadSetup) {
    this.#worker = new Worker(workerUrl(), { workerData: setup })
    // `reply` rejects with it; without this listener it would end the process.
    this.#worker.on('error', () => {})
    this.#worker.once('exit', () => (this.#hasEnded = true))
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** `moved`: memory that the thread takes over. */
  send(message: ThreadMessage, moved: ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, moved)
  }

  /** Its next reply. Rejects when it ends without one. */
  reply(): Promise<ThreadReply> {
    const worker = this.#worker
    return new Promise((resolve, reject) => {
      // Its `exit` was told before, and does not come again.
      if (this.#hasEnded) return reject(new Error('the checkpoint thread has ended'))
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

  /** Whether the process waits for it before it ends. */
  hold(isHeld: boolean): void {
    if (isHeld) this.#worker.ref()
    else this.#worker.unref()
  }

  end(): void {
    void this.#worker.terminate()
  }
}

/** Next to this file in the sources, next to the bundle in a package. */
const workerUrl = (): URL =>
  new URL(
    import.meta.url.endsWith('.ts') ? './checkpointThreadMain.ts' : './checkpoint-thread.mjs',
    import.meta.url,
  )
