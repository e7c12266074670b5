import type { Clock, TimerHandle } from './Clock.ts'

/** The messages that a consumer's handlers of one batch have under way, and when there may be more. */
export class HeldMessages {
  readonly #max: number
  readonly #patienceMs: number
  readonly #clock: Clock
  #count = 0
  #isPatient = true
  #moreMayCome: (() => void) | undefined

  /**
   * @param max most messages under way
   * @param patienceMs how long those that are slow keep others waiting, in ms
   */
  constructor(max: number, patienceMs: number, clock: Clock) {
    this.#max = max
    this.#patienceMs = patienceMs
    this.#clock = clock
  }

  /** How many more there may be. */
  get room(): number {
    return this.#max - this.#count
  }

  add(count: number): void {
    this.#count += count
  }

  remove(count: number): void {
    this.#count -= count
    this.#look()
  }

  /** Resolves when none is under way, or when some have been for a while and there is room beside them. */
  async more(): Promise<void> {
    if (this.#count === 0) return
    let timer: TimerHandle
    this.#isPatient = true
    if (this.#patienceMs < Infinity)
      timer = this.#clock.setTimeout(() => {
        this.#isPatient = false
        this.#look()
      }, this.#patienceMs)
    await new Promise<void>((resolve) => (this.#moreMayCome = resolve))
    this.#clock.clearTimeout(timer)
  }

  #look(): void {
    if (this.#count === 0 || (!this.#isPatient && this.room > 0)) this.#moreMayCome?.()
  }
}
