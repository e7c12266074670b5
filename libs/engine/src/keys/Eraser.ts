import type { BodyRef } from '@kiroku/log'
import { decideKeysDeleted, type Erasure, type PartitionState, type Turn } from '@kiroku/partition'
import type { Time } from '../Time.ts'
import { limits } from '../limits.ts'
import type { KeyRing } from './KeyRing.ts'

/** Deletes the keys of what is to be erased, once that is on record, and repeats it until it is done. */
export class Eraser {
  readonly #ring: KeyRing
  readonly #time: Time
  readonly #act: (run: (turn: Turn<BodyRef>) => void) => void
  #state: PartitionState | undefined
  #storedSeq = 0
  readonly #busy = new Set<number>()

  constructor(ring: KeyRing, time: Time, act: (run: (turn: Turn<BodyRef>) => void) => void) {
    this.#ring = ring
    this.#time = time
    this.#act = act
  }

  /** Goes on with what an owner before did not come to. */
  begin(state: PartitionState, storedSeq: number): void {
    this.#state = state
    this.#busy.clear()
    this.stored(storedSeq)
  }

  /** The state that was worked for is gone. */
  end(): void {
    this.#state = undefined
  }

  /** Everything up to `seq` is stored. */
  stored(seq: number): void {
    this.#storedSeq = seq
    const state = this.#state
    if (state === undefined || state.erasures.length === 0) return
    for (const erasure of state.erasures)
      if (erasure.seq <= this.#storedSeq && !this.#busy.has(erasure.erasure))
        void this.#erase(state, erasure, 0)
  }

  async #erase(state: PartitionState, erasure: Erasure, failures: number): Promise<void> {
    this.#busy.add(erasure.erasure)
    try {
      await this.#ring.erase(erasure)
    } catch {
      const pauseMs = Math.min(50 * 2 ** failures, limits.forwardBackoffMsMax)
      this.#time.after(pauseMs, () => {
        if (this.#state === state) void this.#erase(state, erasure, failures + 1)
      })
      return
    }
    if (this.#state === state) this.#act((turn) => decideKeysDeleted(turn, erasure.erasure))
  }
}
