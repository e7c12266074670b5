import type { Ownership } from '@kiroku/partition'
import type { KirokuError } from '@kiroku/protocol'
import { limits } from '../limits.ts'
import type { ActorOptions } from './ActorOptions.ts'
import type { ActorParts } from './ActorParts.ts'
import type { Life } from './Life.ts'

type HandOverOptions = Pick<ActorOptions, 'time' | 'isLoadedAhead'>
type HandOverParts = Pick<ActorParts, 'checkpoints' | 'gate' | 'tasks' | 'notes' | 'loop' | 'deliverer'>

/** The end of an ownership that is handed over: what is under way finishes, and nothing new begins. */
export class HandOver {
  readonly #parts: HandOverParts
  readonly #life: Life
  readonly #o: HandOverOptions
  #done: () => void = () => {}
  #cancel: () => void = () => {}

  constructor(parts: HandOverParts, life: Life, options: HandOverOptions) {
    this.#parts = parts
    this.#life = life
    this.#o = options
  }

  /**
   * Sends waiting receives to the next owner, stores the state for it unless it has that already, and resolves when nothing is under way any more, or
   * after a while. Called once the owner takes nothing new: during the wait the lock may become another node's.
   */
  async finish(own: Ownership, error: KirokuError): Promise<void> {
    const { checkpoints, gate, tasks, notes, loop } = this.#parts
    for (const poll of own.polls.values()) {
      poll.done = true
      gate.refuse(poll.token, error)
    }
    own.polls.clear()
    for (const task of tasks) task.drain?.()
    if (this.#o.isLoadedAhead?.() !== true) await checkpoints.handOver()
    // An append may have failed meanwhile, which ends the ownership.
    if (this.#life.state !== 'Draining') return
    notes.drain()
    loop.wake()
    await new Promise<void>((resolve) => {
      this.#done = resolve
      this.#cancel = this.#o.time.after(limits.drainMs, resolve)
      this.check()
    })
  }

  /** Something finished. */
  check(): void {
    if (this.#parts.loop.isIdle && this.#parts.deliverer.isIdle) this.end()
  }

  /** Nothing is waited for any more. */
  end(): void {
    this.#cancel()
    this.#done()
  }
}
