import { createActor } from 'xstate'
import { lifecycle, type ActorEvent, type ActorState } from './lifecycle.ts'

/** Where an actor stands in its life. Every part of it may look; only `PartitionActor` and `Recovery` move it on. */
export class Life {
  readonly #machine = createActor(lifecycle)
  readonly #onState: ((state: ActorState, reason: string) => void) | undefined
  #state: ActorState = 'Acquiring'

  /** @param onState called with every change and its reason */
  constructor(onState: ((state: ActorState, reason: string) => void) | undefined) {
    this.#onState = onState
    this.#machine.start()
  }

  get state(): ActorState {
    return this.#state
  }
  /** Whether the owner decides: at once, or when the log has confirmed what is under way. */
  get isActive(): boolean {
    return this.#state === 'Active' || this.#state === 'Confirming'
  }

  /** Moves on as the machine says; an event that means nothing in this state is ignored. */
  send(type: ActorEvent, reason: string): void {
    if (this.#machine.getSnapshot().status === 'done') return
    const before = this.#state
    this.#machine.send({ type })
    this.#state = this.#machine.getSnapshot().value
    if (this.#state !== before) this.#onState?.(this.#state, reason)
  }
}
