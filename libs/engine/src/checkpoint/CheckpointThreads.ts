import { CheckpointThread } from './CheckpointThread.ts'

/** How long a thread waits for its next checkpoint, in ms. Busy partitions make one every few seconds. */
const spareMs = 30_000

/**
 * The threads on which a node makes checkpoints that nobody waits for. One of them is kept for the next checkpoint, since starting a
 * thread and compiling its code takes longer than encoding most states.
 */
export class CheckpointThreads {
  #spare: CheckpointThread | undefined
  #end: NodeJS.Timeout | undefined

  /** A thread with nothing to do, which may take as long as the actors leave it time for. */
  take(): CheckpointThread {
    const spare = this.#spare
    this.#spare = undefined
    clearTimeout(this.#end)
    if (spare === undefined || spare.hasEnded) return new CheckpointThread({ givesWay: true })
    spare.hold(true)
    return spare
  }

  /** A thread has made its checkpoint. */
  giveBack(thread: CheckpointThread): void {
    if (this.#spare !== undefined) return thread.end()
    this.#spare = thread
    thread.hold(false)
    this.#end = setTimeout(() => {
      this.#spare = undefined
      thread.end()
    }, spareMs).unref()
  }
}
