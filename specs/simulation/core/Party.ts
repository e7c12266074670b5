/** Somebody whose code runs in the simulation and who may stop doing so: a node's process, or a client's. */
export class Party {
  readonly name: string
  /** How far its wall clock is off, in ms. */
  wallOffsetMs = 0
  /** Until when nothing of it runs, in ms of virtual time. */
  frozenUntilMs = 0
  /** Until when what was due in a freeze is put off, also where the freeze ended before. */
  lateUntilMs = 0
  /** Extra delay of the log's answers to it, in ms. */
  lagMs = 0
  /** Steps that it still takes before it dies. */
  stepsLeft = Number.POSITIVE_INFINITY
  #isDead = false
  readonly #onDeath: () => void

  constructor(name: string, onDeath: () => void = () => {}) {
    this.name = name
    this.#onDeath = onDeath
  }

  get isDead(): boolean {
    return this.#isDead
  }

  /** Nothing of it runs any more, and waiting for it is in vain. */
  die(): void {
    if (this.#isDead) return
    this.#isDead = true
    this.#onDeath()
  }
}
