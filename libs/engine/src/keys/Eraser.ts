import type { BodyRef } from '@kiroku/log'
import {
  decide,
  recordBytes,
  type Erasure,
  type PartitionState,
  type Rest,
  type Turn,
  type Ownership,
} from '@kiroku/partition'
import type { CommandOf } from '@kiroku/protocol'
import { asKirokuError } from '../asKirokuError.ts'
import { backoffMs } from '../tasks/backoffMs.ts'
import type { Owner } from '../tasks/Owner.ts'
import type { OwnerTask } from '../tasks/OwnerTask.ts'

/** Has erasures decided, and deletes the keys of what is to be erased once that is on record, until they are gone. */
export class Eraser implements OwnerTask {
  readonly #owner: Pick<Owner, 'ring' | 'time' | 'act' | 'refuse' | 'isActive'>
  #state: PartitionState | undefined
  readonly #busy = new Set<number>()

  constructor(owner: Pick<Owner, 'ring' | 'time' | 'act' | 'refuse' | 'isActive'>) {
    this.#owner = owner
  }

  /** Goes on with what an earlier owner left undone. */
  begin({ state }: Pick<Ownership, 'state'>, storedSeq: number): void {
    this.#state = state
    this.#busy.clear()
    this.stored(storedSeq)
  }

  end(): void {
    this.#state = undefined
  }

  stored(seq: number): void {
    const state = this.#state
    if (state === undefined || state.erasures.length === 0) return
    for (const erasure of state.erasures)
      if (erasure.seq <= seq && !this.#busy.has(erasure.erasure)) void this.#deleteKeys(state, erasure, 0)
  }

  /** Has an erasure decided; for a group, once the key with which it goes on is stored. */
  request(command: CommandOf<'Erase'>, token: number): void {
    const state = this.#state
    if (state === undefined) return
    const queue = state.names.get(command.queue)
    const isByGroup = command.group !== undefined && queue?.config.erasable === 'group'
    if (!isByGroup) return this.#decide(state, command, token, undefined)
    this.#owner.ring.addGroupKey(queue.id, command.group!).then(
      (key) => this.#decide(state, command, token, key),
      (e: unknown) => this.#owner.refuse(token, asKirokuError(e)),
    )
  }

  #decide(state: PartitionState, command: CommandOf<'Erase'>, token: number, key: string | undefined): void {
    const { ring, act, isActive } = this.#owner
    if (this.#state !== state || !isActive()) return
    act(
      (turn) => {
        if (key !== undefined && !ring.claim(key)) return void this.request(command, token)
        return this.#conclude(turn, key, (first) =>
          decide(first, key === undefined ? command : { type: 'EraseGroup', command, key }, token),
        )
      },
      recordBytes(state, command),
    )
  }

  /** Decides an erasure; once its last part is decided, nothing is encrypted with its keys any more. */
  #conclude(
    turn: Turn<BodyRef>,
    key: string | undefined,
    decideIt: Rest<BodyRef>,
  ): Rest<BodyRef> | undefined {
    const rest = decideIt(turn)
    if (rest !== undefined) return (next) => this.#conclude(next, key, rest)
    this.#owner.ring.erasureDecided(key)
    return undefined
  }

  async #deleteKeys(state: PartitionState, erasure: Erasure, failures: number): Promise<void> {
    const { ring, time, act } = this.#owner
    this.#busy.add(erasure.erasure)
    try {
      await ring.erase(erasure)
    } catch {
      time.after(backoffMs(failures), () => {
        if (this.#state === state) void this.#deleteKeys(state, erasure, failures + 1)
      })
      return
    }
    if (this.#state === state)
      act((turn) => decide(turn, { type: 'ConfirmKeysDeleted', erasure: erasure.erasure }))
  }
}
