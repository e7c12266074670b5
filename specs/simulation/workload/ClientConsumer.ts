import { BackPressure, type Batch, type Client } from '@kiroku/client'
import { isKirokuError } from '@kiroku/protocol'
import type { Chance } from '../core/Chance.ts'
import { Party } from '../core/Party.ts'
import type { World } from '../world/World.ts'
import { connect } from './connect.ts'

/** Consumes with the real client, whose leases are renewed while a handler works. */
export class ClientConsumer {
  readonly #world: World
  readonly #queue: string
  readonly #name: string
  readonly #chance: Chance
  #lives = 0
  party: Party

  constructor(world: World, queue: string, name: string) {
    this.#world = world
    this.#queue = queue
    this.#name = name
    this.party = new Party(name)
    this.#chance = world.chance.stream(name)
  }

  /** Consumes until the world ends; after a death a successor continues. */
  async run(): Promise<void> {
    const { loop } = this.#world
    while (!this.#world.isOver) {
      const party = new Party(`${this.#name}.${++this.#lives}`)
      this.party = party
      const end = loop.as(party, () => this.#begin(connect(this.#world, party)))
      while (!this.#world.isOver && !party.isDead && !end.isOver()) await this.#pause(500)
      await this.#close(party, end.close)
    }
  }

  /** Closes a client, unless its process dies before or meanwhile. */
  async #close(party: Party, close: () => Promise<void>): Promise<void> {
    if (party.isDead) return
    let isClosed = false
    void this.#world.loop.as(party, close).then(() => (isClosed = true))
    while (!isClosed && !party.isDead) await this.#pause(50)
  }

  #begin(client: Client): { isOver: () => boolean; close: () => Promise<void> } {
    const chance = this.#chance
    let isOver = false
    const consumer = client.consume(this.#queue, (batch) => this.#handle(batch), {
      batchMessages: chance.pick([1, 5, 10]),
      batchWaitMs: chance.pick([0, 200]),
      concurrency: chance.pick([1, 2]),
      renew: chance.happens(0.8),
    })
    consumer.closed.then(
      () => (isOver = true),
      (error: unknown) => {
        isOver = true
        if (!isKirokuError(error)) this.#world.fail(error as Error)
      },
    )
    return { isOver: () => isOver, close: () => client.close() }
  }

  async #handle(batch: Batch): Promise<void> {
    const { loop } = this.#world
    const chance = this.#chance
    if (this.#world.isCalm) return
    await loop.sleep(chance.pick([0, 0, 30, 900, 5_000]))
    for (const message of batch.messages) {
      if (chance.happens(0.2)) message.ack()
      else if (chance.happens(0.1)) message.retry(chance.happens(0.5) ? { delayMs: 600 } : {})
    }
    if (chance.happens(0.05)) throw new BackPressure({ delayMs: 700, holdSubscription: chance.happens(0.5) })
    if (chance.happens(0.15)) throw new Error('the handler failed')
  }

  /** A pause of the watcher, not of the watched process. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#world.loop.after(ms, resolve, null))
  }
}
