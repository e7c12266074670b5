import { isKirokuError } from '@kiroku/message'
import { encodeEnvelope, partitionOf, type Answers, type CommandOf } from '@kiroku/partition'
import type { Chance } from '../core/Chance.ts'
import type { World } from '../world/World.ts'
import { Caller } from './Caller.ts'

/** Sends of one producer. */
const sendsMax = 14
const encoder = new TextEncoder()

/**
 * Sends commands by hand: repeats what has no answer, and sometimes what has one under way, with the same number.
 * What was acknowledged once must be acknowledged alike for ever.
 */
export class Producer {
  readonly #world: World
  readonly #caller: Caller
  readonly #chance: Chance
  readonly #queue: string
  readonly #partition: number
  readonly #name: string
  /** Sends without an answer so far. */
  #open = 0

  constructor(world: World, queue: string, name: string) {
    this.#world = world
    this.#queue = queue
    this.#name = name
    this.#partition = partitionOf(queue, world.plan.partitions)
    this.#caller = new Caller(world, name)
    this.#chance = world.chance.stream(name)
  }

  get party() {
    return this.#caller.party
  }

  async run(): Promise<void> {
    const { loop } = this.#world
    const chance = this.#chance
    for (let send = 1; send <= sendsMax; send++) {
      this.#world.start(`send ${send} of ${this.#name}`, this.#send(this.#command(send)))
      await loop.sleep(this.#world.isCalm ? 1 : chance.pick([0, 0, 1, 1, 3, 30, 300, 2_500]))
    }
    await this.#world.until(`producer ${this.#name} has its answers`, () => this.#open === 0)
  }

  #command(send: number): CommandOf<'Enqueue'> {
    const chance = this.#chance
    const count = chance.pick([1, 1, 1, 2, 5])
    const messages = Array.from({ length: count }, (_, i) => {
      const label = `${this.#name} ${send}.${i}`
      const bytes = chance.happens(0.02) ? 70_000 : chance.pick([20, 20, 20, 20, 900])
      return encodeEnvelope(encoder.encode(label.padEnd(bytes)))
    })
    return {
      type: 'Enqueue',
      queue: this.#queue,
      producer: this.#name,
      send,
      messages,
      ...(chance.happens(0.15) ? { delayMs: chance.pick([50, 700, 4_000]) } : {}),
      ...(chance.happens(0.05) ? { delaysMs: messages.map(() => chance.pick([0, -1, 300])) } : {}),
    }
  }

  async #send(command: CommandOf<'Enqueue'>): Promise<void> {
    const { loop } = this.#world
    const chance = this.#chance
    let stored: Answers['Enqueue'] | undefined
    let isRefused = false
    this.#open++
    const ask = async (): Promise<void> => {
      try {
        stored ??= await this.#caller.ask(this.#partition, command, () => stored !== undefined)
      } catch (error) {
        if (!isKirokuError(error)) throw error
        // A queue that is being deleted and created again.
        isRefused ||= error.id === 'UnknownQueue'
        if (!error.retryable && !isRefused) throw error
      }
    }
    const first = ask()
    // As if an answer were late, so that the same is asked again meanwhile.
    for (let i = 0; i < 2 && chance.happens(0.25); i++) {
      await loop.sleep(chance.pick([0, 0, 1, 20]))
      this.#world.start(`send ${command.send} of ${this.#name} again`, ask())
    }
    await first
    if (stored === undefined && !isRefused)
      throw new Error(`send ${command.send} of ${this.#name} got no answer`)
    this.#open--
  }
}
