import type { Clock, TimerHandle } from './Clock.ts'

/** The messages that one loop of a consumer has under way, and when it may take more. */
export class HeldMessages {
  readonly #max: number
  readonly #patienceMs: number
  readonly #clock: Clock
  #count = 0
  #waitsSinceMs = 0
  #isPatient = true
  #moreMayCome: (() => void) | undefined
  /** Keeps running from one wait to the next, since most end before it would fire. */
  #timer: TimerHandle

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

  /** Resolves when nothing is under way, or once what began at `beganMs` has used up the patience and there is room for more. */
  async more(beganMs: number): Promise<void> {
    if (this.#count === 0) return
    this.#waitsSinceMs = beganMs
    this.#isPatient = true
    if (this.#timer === undefined && this.#patienceMs < Infinity) this.#wake(this.#patienceMs)
    await new Promise<void>((resolve) => (this.#moreMayCome = resolve))
    this.#moreMayCome = undefined
  }

  /** No timer runs any more. */
  end(): void {
    this.#clock.clearTimeout(this.#timer)
  }

  #look(): void {
    if (this.#count === 0 || (!this.#isPatient && this.room > 0)) this.#moreMayCome?.()
  }

  #wake(ms: number): void {
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = undefined
      if (this.#moreMayCome === undefined) return
      const leftMs = this.#waitsSinceMs + this.#patienceMs - this.#clock.now()
      if (leftMs > 0) return this.#wake(leftMs)
      this.#isPatient = false
      this.#look()
    }, ms)
  }
}
