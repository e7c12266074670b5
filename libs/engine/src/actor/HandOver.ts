import type { Ownership } from '@kiroku/partition'
import type { KirokuError } from '@kiroku/protocol'
import type { Time } from '../Time.ts'
import { limits } from '../limits.ts'
import type { ActorParts } from './ActorParts.ts'

/** The end of an ownership that is handed over: what is under way finishes, and nothing new begins. */
export class HandOver {
  readonly #parts: Pick<ActorParts, 'gate' | 'tasks' | 'notes' | 'loop' | 'deliverer'>
  readonly #time: Time
  #done: () => void = () => {}
  #cancel: () => void = () => {}

  constructor(parts: Pick<ActorParts, 'gate' | 'tasks' | 'notes' | 'loop' | 'deliverer'>, time: Time) {
    this.#parts = parts
    this.#time = time
  }

  /** Sends waiting receives to the next owner, and resolves when nothing is under way any more, or after a while. */
  finish(own: Ownership, error: KirokuError): Promise<void> {
    const { gate, tasks, notes, loop } = this.#parts
    for (const poll of own.polls.values()) {
      poll.done = true
      gate.refuse(poll.token, error)
    }
    own.polls.clear()
    for (const task of tasks) task.drain?.()
    notes.drain()
    loop.wake()
    return new Promise<void>((resolve) => {
      this.#done = resolve
      this.#cancel = this.#time.after(limits.drainMs, resolve)
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
