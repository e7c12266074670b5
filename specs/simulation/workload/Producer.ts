import { type Answers, type Command, type CommandOf, isKirokuError, partitionOf } from '@kiroku/protocol'
import type { Chance } from '../core/Chance.ts'
import type { World } from '../world/World.ts'
import { Caller } from './Caller.ts'
import { Composer } from './Composer.ts'
import { by } from './administer.ts'
import { currentConfig } from './currentConfig.ts'

/** Sends of one producer. */
const sendsMax = 14
/** Where dedup keys are all in use, room comes once per window, and other producers may take it first. */
const answersMsMax = 3_600_000

/** A command that counts as a send of its producer. */
type Numbered = CommandOf<'Enqueue'> | CommandOf<'Recall'> | CommandOf<'Reschedule'>

/**
 * Sends commands by hand: repeats what has no answer, and sometimes what has one under way, with the same number.
 * What waits for its time it sometimes recalls or moves.
 */
export class Producer {
  readonly #world: World
  readonly #caller: Caller
  readonly #chance: Chance
  readonly #composer: Composer
  readonly #queue: string
  readonly #partition: number
  readonly #name: string
  #numbers = 0
  /** Sends without an answer so far. */
  #open = 0

  constructor(world: World, queue: string, name: string) {
    this.#world = world
    this.#name = name
    this.#queue = queue
    this.#partition = partitionOf(queue, world.plan.partitions)
    this.#caller = new Caller(world, name)
    this.#chance = world.chance.stream(name)
    const plan = world.plan.queues.find((q) => q.name === queue)!
    this.#composer = new Composer(
      plan,
      () => currentConfig(world, queue)?.config ?? plan.config,
      name,
      this.#chance,
    )
  }

  get party() {
    return this.#caller.party
  }

  async run(): Promise<void> {
    const { loop } = this.#world
    const chance = this.#chance
    for (let i = 0; i < sendsMax; i++) {
      this.#start(this.#composer.compose(++this.#numbers))
      await loop.sleep(this.#world.isCalm ? 1 : chance.pick([0, 0, 1, 1, 3, 30, 300, 2_500]))
    }
    await this.#world.until(`producer ${this.#name} has its answers`, () => this.#open === 0, answersMsMax)
  }

  #start(command: Numbered): void {
    this.#open++
    this.#world.start(`send ${command.send} of ${this.#name}`, this.#send(command))
  }

  async #send(command: Numbered): Promise<void> {
    const { loop } = this.#world
    const chance = this.#chance
    let stored: Answers['Enqueue' | 'Recall'] | undefined
    let isRefused = false
    const ask = async (): Promise<void> => {
      try {
        stored ??= await this.#caller.ask<'Enqueue' | 'Recall' | 'Reschedule'>(
          this.#partition,
          command as Command as CommandOf<'Enqueue'>,
          () => stored !== undefined,
        )
      } catch (error) {
        if (!isKirokuError(error)) throw error
        isRefused ||= expected.has(error.id) || (settled.has(error.id) && this.#isChanged(command))
        if (stored === undefined && !error.retryable && !isRefused) throw error
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
    if (stored !== undefined && command.type === 'Enqueue' && 'first' in stored) this.#revise(command, stored)
  }

  /** Whether what a send must be like may have changed since it was made, or it asks for more than its queue keeps. */
  #isChanged(command: Numbered): boolean {
    if (command.type === 'Recall') return false
    const now = currentConfig(this.#world, this.#queue)
    // It may have waited for days.
    const isOld = command.type === 'Reschedule' && this.#world.leaps > 0
    return now === undefined || now.isChanged || isOld || (command.delayMs ?? 0) >= now.config.retentionMs
  }

  /** Takes back or moves what it sent with a delay. */
  #revise(command: CommandOf<'Enqueue'>, { queue, first }: Answers['Enqueue']): void {
    const chance = this.#chance
    if ((command.delayMs ?? 0) === 0 || !chance.happens(0.6)) return
    const address = { queue, number: first, producer: this.#name, by }
    if (chance.happens(0.5)) this.#start({ type: 'Recall', ...address, send: ++this.#numbers })
    else
      this.#start({
        type: 'Reschedule',
        ...address,
        delayMs: chance.pick([0, 300, 2_000, 2 * dayMs]),
        send: ++this.#numbers,
      })
  }
}

const dayMs = 86_400_000

/** What a send may be refused for by settings. */
const settled: ReadonlySet<string> = new Set(['InvalidArgument', 'BodyTooLarge'])

/** A queue that is being deleted and created again, and messages that are not delayed any more. */
const expected: ReadonlySet<string> = new Set(['UnknownQueue', 'UnknownMessage', 'NotDelayed'])
