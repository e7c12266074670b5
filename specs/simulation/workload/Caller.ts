import {
  type Answer,
  type Answers,
  type Command,
  type CommandType,
  isKirokuError,
  KirokuError,
} from '@kiroku/protocol'
import { Party } from '../core/Party.ts'
import type { World } from '../world/World.ts'

/** A command of one type. */
type Ask<T extends CommandType> = Extract<Command, { type: T }>

/** Somebody who sends commands as they are: repeats what has no answer, and does not count what an earlier owner says. */
export class Caller {
  readonly party: Party
  readonly #world: World
  readonly #epochs: number[]

  constructor(world: World, name: string) {
    this.#world = world
    this.party = new Party(name, () => world.coverage.add('party', 'client died'))
    this.#epochs = new Array<number>(world.plan.partitions).fill(0)
  }

  /**
   * Repeats a command until it has an answer. Errors: those that a repeat would not change, and any once
   * `isEnough` of the tries so far.
   */
  async ask<T extends CommandType>(
    partition: number,
    command: Ask<T>,
    isEnough: (tries: number) => boolean = () => false,
  ): Promise<Answers[T]> {
    const { loop, chance } = this.#world
    for (let tries = 1; ; tries++) {
      try {
        return await this.#once(partition, command)
      } catch (error) {
        if (!isKirokuError(error) || isEnough(tries)) throw error
        // Somebody is going to repair it.
        if (!error.retryable && error.id !== 'Quarantined') throw error
        await loop.sleep(error.retryAfterMs ?? (error.retryable ? chance.pick([1, 20, 200]) : 500))
      }
    }
  }

  async #once<T extends CommandType>(partition: number, command: Ask<T>): Promise<Answers[T]> {
    const waitMs = 'waitMs' in command ? (command.waitMs ?? 0) : 0
    const reply = await this.#world.network.request(this.party, partition, [command], waitMs + 4_000)
    const known = this.#epochs[partition]!
    if (reply.epoch > 0 && reply.epoch < known) throw new KirokuError('NotOwner', 'an earlier owner')
    this.#epochs[partition] = Math.max(known, reply.epoch)
    const answer = reply.answers[0] as Answer<T>
    if (answer.error === undefined) return answer.ok
    throw new KirokuError(answer.error.id, answer.error.message)
  }
}
