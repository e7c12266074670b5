import { setImmediate as nextTick } from 'node:timers/promises'
import { isSealed, readSealed } from '@kiroku/log'
import type { PartitionState, Ownership } from '@kiroku/partition'
import { isKirokuError } from '@kiroku/protocol'
import { fetchLetter } from '../bodies/fetchLetter.ts'
import { limits } from '../limits.ts'
import type { Owner } from '../tasks/Owner.ts'
import type { OwnerTask } from '../tasks/OwnerTask.ts'

/** Letters that are checked before the thread is yielded. */
const lookedAtOnce = 10_000

type LetterKeysOwner = Pick<Owner, 'log' | 'keys' | 'time' | 'ring' | 'cache' | 'now'>

/**
 * Keeps the keys of letters that wait for their target. The partition that receives one writes its keys again; before,
 * nothing else does, and a letter may wait for longer than keys are kept.
 */
export class LetterKeys implements OwnerTask {
  readonly #o: LetterKeysOwner
  #state: PartitionState | undefined
  #cancel: () => void = () => {}

  constructor(owner: LetterKeysOwner) {
    this.#o = owner
  }

  begin({ state }: Pick<Ownership, 'state'>): void {
    this.#state = state
    void this.#look(state)
  }

  end(): void {
    this.#state = undefined
    this.#cancel()
  }

  async #look(state: PartitionState): Promise<void> {
    const isDone = await this.#keepAll(state).catch(() => false)
    if (this.#state !== state) return
    const pauseMs = isDone ? limits.letterKeysMs : limits.forwardBackoffMsMax
    this.#cancel = this.#o.time.after(pauseMs, () => void this.#look(state))
  }

  async #keepAll(state: PartitionState): Promise<boolean> {
    // The key of a younger one has half of its time left.
    const olderThan = this.#o.now() - this.#o.keys.keptMs / 4
    let looked = 0
    for (const { source, entries } of [...state.outbox.values()])
      for (const entry of [...entries]) {
        if (++looked % lookedAtOnce === 0) await nextTick()
        if (this.#state !== state) return false
        if (entry.enqueuedAt > olderThan) continue
        const names = await this.#keysOf(state, source, entry)
        await nextTick()
        if (this.#state !== state) return false
        const missing = this.#o.ring.missingElsewhere(names)
        if (missing.length > 0) await this.#o.ring.touch(missing)
      }
    return true
  }

  async #keysOf(
    state: PartitionState,
    source: number,
    letter: Parameters<typeof fetchLetter>[4],
  ): Promise<readonly string[]> {
    try {
      const message = await fetchLetter(this.#o.log, this.#o.cache, state, source, letter)
      return isSealed(message) ? readSealed(message).head.keys : []
    } catch (e) {
      // It was sent, or stored again elsewhere, while it was read; damage shows when it is sent.
      if (isKirokuError(e) && e.id === 'LogDamaged') return []
      throw e
    }
  }
}
